// top

language   1 ;// the language
use   "d.dsl" ;  // used
/// Documentation.
///   indented
///
#[allow(unused_parameter)] // why
#[inline] /// More.
fn g( // a
  x : f64 , // b
  y : f64 // c
  , // d
) // e
-> // f
f64 // g
{ // h
  let // i
  z // j
  : // k
  f64 // l
  = // m
  max(/* n */ x,/*o*/y /*p*/) // q
  + // r
  y // s
  ; // t
  if // u
  z > 0 // v
  { // w
    z // x
  } // y
  else // z
  { // α
    -z // β
  }
} // end
// last

//>> // top
//>>
//>> language 1; // the language
//>> use "d.dsl"; // used
//>> /// Documentation.
//>> ///   indented
//>> ///
//>> #[allow(unused_parameter)] // why
//>> #[inline] /// More.
//>> fn g( // a
//>>     x: f64, // b
//>>     y: f64, // c
//>>     // d
//>> ) // e
//>> -> // f
//>> f64 // g
//>> { // h
//>>     let // i
//>>     z // j
//>>     : // k
//>>     f64 // l
//>>     = // m
//>>     max(/* n */ x, /*o*/ y /*p*/ ) // q
//>>         + // r
//>>         y; // s
//>>     // t
//>>     if // u
//>>     z > 0 // v
//>>     { // w
//>>         z // x
//>>     } // y
//>>     else // z
//>>     { // α
//>>         -z // β
//>>     }
//>> } // end
//>> // last
