// Numbers, names, comments. /* not opened here
/* a /* nested */ comment */
/// Documentation, first line.
/// Second line.
//// not documentation
fn numbers(α: f64, x_1: f64, x₂: f64, _unused: f64) -> f64 {
    let a = 12 + 1_000;
    let b = 1.5 + 1e-3 + 2. + 2.5E+3 + 1_0.5_0;
    let c = 2.5i + 1i + 1e3i;
    let r = [i for i in 0..3];   /// documentation of nothing is a comment
    let m = -9223372036854775808;
    let n = 9223372036854775807;
    let t = 2.*α;
    // contextual words are names
    let rule = 1; let check = 2; let bench = 3; let step = 4; let wrt = 5; let d = 6; let dconj = 7;
    let points = rule + check*bench; let edge = step; let load = d; let normal = 1; let end = 2; let and = 3;
    x_1+-x₂--α
}

//> /// Documentation, first line.
//> /// Second line.
//> fn numbers  6:1-18:2
//>   param α  6:12-6:18
//>     type f64  6:15-6:18
//>   param x_1  6:20-6:28
//>     type f64  6:25-6:28
//>   param x₂  6:30-6:37
//>     type f64  6:34-6:37
//>   param _unused  6:39-6:51
//>     type f64  6:48-6:51
//>   result  6:56-6:59
//>     type f64  6:56-6:59
//>   body  6:60-18:2
//>     let  7:5-7:23
//>       name a  7:9-7:10
//>       +  7:13-7:23
//>         int 12  7:13-7:15
//>         int 1000  7:18-7:23
//>     let  8:5-8:47
//>       name b  8:9-8:10
//>       +  8:13-8:47
//>         +  8:13-8:37
//>           +  8:13-8:28
//>             +  8:13-8:23
//>               real 1.5  8:13-8:16
//>               real 0.001  8:19-8:23
//>             real 2.0  8:26-8:28
//>           real 2500.0  8:31-8:37
//>         real 10.5  8:40-8:47
//>     let  9:5-9:29
//>       name c  9:9-9:10
//>       +  9:13-9:29
//>         +  9:13-9:22
//>           imaginary 2.5  9:13-9:17
//>           imaginary 1.0  9:20-9:22
//>         imaginary 1000.0  9:25-9:29
//>     let  10:5-10:30
//>       name r  10:9-10:10
//>       comprehension  10:13-10:30
//>         name i  10:14-10:15
//>         for i  10:20-10:29
//>           ..  10:25-10:29
//>             int 0  10:25-10:26
//>             int 3  10:28-10:29
//>     let  11:5-11:33
//>       name m  11:9-11:10
//>       int -9223372036854775808  11:13-11:33
//>     let  12:5-12:32
//>       name n  12:9-12:10
//>       int 9223372036854775807  12:13-12:32
//>     let  13:5-13:17
//>       name t  13:9-13:10
//>       *  13:13-13:17
//>         real 2.0  13:13-13:15
//>         name α  13:16-13:17
//>     let  15:5-15:17
//>       name rule  15:9-15:13
//>       int 1  15:16-15:17
//>     let  15:19-15:32
//>       name check  15:23-15:28
//>       int 2  15:31-15:32
//>     let  15:34-15:47
//>       name bench  15:38-15:43
//>       int 3  15:46-15:47
//>     let  15:49-15:61
//>       name step  15:53-15:57
//>       int 4  15:60-15:61
//>     let  15:63-15:74
//>       name wrt  15:67-15:70
//>       int 5  15:73-15:74
//>     let  15:76-15:85
//>       name d  15:80-15:81
//>       int 6  15:84-15:85
//>     let  15:87-15:100
//>       name dconj  15:91-15:96
//>       int 7  15:99-15:100
//>     let  16:5-16:36
//>       name points  16:9-16:15
//>       +  16:18-16:36
//>         name rule  16:18-16:22
//>         *  16:25-16:36
//>           name check  16:25-16:30
//>           name bench  16:31-16:36
//>     let  16:38-16:53
//>       name edge  16:42-16:46
//>       name step  16:49-16:53
//>     let  16:55-16:67
//>       name load  16:59-16:63
//>       name d  16:66-16:67
//>     let  16:69-16:83
//>       name normal  16:73-16:79
//>       int 1  16:82-16:83
//>     let  16:85-16:96
//>       name end  16:89-16:92
//>       int 2  16:95-16:96
//>     let  16:98-16:109
//>       name and  16:102-16:105
//>       int 3  16:108-16:109
//>     value  17:5-17:15
//>       -  17:5-17:15
//>         +  17:5-17:12
//>           name x_1  17:5-17:8
//>           prefix -  17:9-17:12
//>             name x₂  17:10-17:12
//>         prefix -  17:13-17:15
//>           name α  17:14-17:15
