# sizes.proto for Cap'n Proto.
@0xb1a2c3d4e5f60004;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::sizes");

struct U5 {
  f1 @0 :UInt64;
  f2 @1 :UInt64;
  f3 @2 :UInt64;
  f4 @3 :UInt64;
  f5 @4 :UInt64;
}

struct U5List {
  items @0 :List(U5);
}

struct U50 {
  f1 @0 :UInt64;
  f2 @1 :UInt64;
  f3 @2 :UInt64;
  f4 @3 :UInt64;
  f5 @4 :UInt64;
  f6 @5 :UInt64;
  f7 @6 :UInt64;
  f8 @7 :UInt64;
  f9 @8 :UInt64;
  f10 @9 :UInt64;
  f11 @10 :UInt64;
  f12 @11 :UInt64;
  f13 @12 :UInt64;
  f14 @13 :UInt64;
  f15 @14 :UInt64;
  f16 @15 :UInt64;
  f17 @16 :UInt64;
  f18 @17 :UInt64;
  f19 @18 :UInt64;
  f20 @19 :UInt64;
  f21 @20 :UInt64;
  f22 @21 :UInt64;
  f23 @22 :UInt64;
  f24 @23 :UInt64;
  f25 @24 :UInt64;
  f26 @25 :UInt64;
  f27 @26 :UInt64;
  f28 @27 :UInt64;
  f29 @28 :UInt64;
  f30 @29 :UInt64;
  f31 @30 :UInt64;
  f32 @31 :UInt64;
  f33 @32 :UInt64;
  f34 @33 :UInt64;
  f35 @34 :UInt64;
  f36 @35 :UInt64;
  f37 @36 :UInt64;
  f38 @37 :UInt64;
  f39 @38 :UInt64;
  f40 @39 :UInt64;
  f41 @40 :UInt64;
  f42 @41 :UInt64;
  f43 @42 :UInt64;
  f44 @43 :UInt64;
  f45 @44 :UInt64;
  f46 @45 :UInt64;
  f47 @46 :UInt64;
  f48 @47 :UInt64;
  f49 @48 :UInt64;
  f50 @49 :UInt64;
}

struct U50List {
  items @0 :List(U50);
}

struct Mixed40 {
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
}

struct Mixed40List {
  items @0 :List(Mixed40);
}
