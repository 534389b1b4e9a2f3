//! The live screen of `peaje watch`: draws what it is given, and never holds up a reading.
