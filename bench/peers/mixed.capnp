# mixed.proto for Cap'n Proto.
@0xb1a2c3d4e5f60003;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::mixed");

struct Mixed {
  f1 @0 :UInt64;
  f2 @1 :Int32;
  f3 @2 :Text;
  f4 @3 :Float64;
  f5 @4 :Bool;
  f6 @5 :Int32;
  f7 @6 :Int64;
  f8 @7 :Float32;
  f9 @8 :UInt32;
  f10 @9 :Data;
  f11 @10 :UInt64;
  f12 @11 :Int32;
  f13 @12 :Text;
  f14 @13 :Float64;
  f15 @14 :Bool;
  f16 @15 :Int32;
  f17 @16 :Int64;
  f18 @17 :Float32;
  f19 @18 :UInt32;
  f20 @19 :Data;
  f21 @20 :UInt64;
  f22 @21 :Int32;
  f23 @22 :Text;
  f24 @23 :Float64;
  f25 @24 :Bool;
  f26 @25 :Int32;
  f27 @26 :Int64;
  f28 @27 :Float32;
  f29 @28 :UInt32;
  f30 @29 :Data;
  f31 @30 :UInt64;
  f32 @31 :Int32;
  f33 @32 :Text;
  f34 @33 :Float64;
  f35 @34 :Bool;
  f36 @35 :Int32;
  f37 @36 :Int64;
  f38 @37 :Float32;
  f39 @38 :UInt32;
  f40 @39 :Data;
  f41 @40 :UInt64;
  f42 @41 :Int32;
  f43 @42 :Text;
  f44 @43 :Float64;
  f45 @44 :Bool;
  f46 @45 :Int32;
  f47 @46 :Int64;
  f48 @47 :Float32;
  f49 @48 :UInt32;
  f50 @49 :Data;
}
