# feed.proto for Cap'n Proto. A map is a list of structs sorted by key, searched by bisection.
@0xb1a2c3d4e5f60005;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("cp::feed");

struct Author {
  id @0 :UInt64;
  name @1 :Text;
  verified @2 :Bool;
  followers @3 :UInt32;
}

struct Article {
  words @0 :UInt32;
  language @1 :Text;
}

struct Video {
  seconds @0 :UInt32;
  chapters @1 :List(Float32);
  live @2 :Bool;
}

struct Photo {
  latitudeE6 @0 :Int32;
  longitudeE6 @1 :Int32;
  blurhash @2 :Data;
}

struct Feature {
  key @0 :Text;
  value @1 :Float32;
}

struct Reaction {
  key @0 :UInt32;
  value @1 :UInt64;
}

struct Item {
  id @0 :UInt64;
  title @1 :Text;
  summary @2 :Text;
  author @3 :Author;
  tags @4 :List(Text);
  kind @5 :Int32;
  publishedMs @6 :Int64;
  score @7 :Float64;
  features @8 :List(Feature);
  content :union {
    none @9 :Void;
    article @10 :Article;
    video @11 :Video;
    photo @12 :Photo;
    linkUrl @13 :Text;
  }
  related @14 :List(UInt64);
  sponsored @15 :Bool;
  reactions @16 :List(Reaction);
}

struct Page {
  requestId @0 :Text;
  items @1 :List(Item);
  next @2 :Text;
}
