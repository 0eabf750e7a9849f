# hier.proto for Cap'n Proto.
@0xb1a2c3d4e5f60001;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::hier");

struct Leaf {
  f1 @0 :UInt64;
  f2 @1 :UInt64;
  f3 @2 :UInt64;
  f4 @3 :UInt64;
  f5 @4 :UInt64;
  f6 @5 :UInt64;
  f7 @6 :UInt64;
  f8 @7 :UInt64;
  f9 @8 :UInt64;
}

struct Mid {
  f1 @0 :UInt64;
  f2 @1 :UInt64;
  f3 @2 :UInt64;
  f4 @3 :UInt64;
  f5 @4 :UInt64;
  f6 @5 :UInt64;
  f7 @6 :UInt64;
  f8 @7 :UInt64;
  child @8 :Leaf;
}

struct Root {
  f1 @0 :UInt64;
  f2 @1 :UInt64;
  f3 @2 :UInt64;
  f4 @3 :UInt64;
  f5 @4 :UInt64;
  f6 @5 :UInt64;
  f7 @6 :UInt64;
  f8 @7 :UInt64;
  child @8 :Mid;
}
