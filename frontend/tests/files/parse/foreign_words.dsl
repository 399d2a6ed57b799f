// Words of other languages are names like any other where they make sense.
fn end(print: f64, loop: f64[3], lambda: i64) -> f64 {
    let (match, pass) = (1, 2);
    let not = true; var case = loop[lambda:]; let and = 3; let or = and*2; let mod = 1;
    for do in 0..3 { case = do; }
    if not { case = 1; } else { case = 2; }
    if not(x) { case = 1; }
    let total = sum(end[yield] for yield in 0..3, repeat);
    print = 3;
    match
}
fn return(break: f64) -> f64 { break }
fn continue(try: f64) -> f64 { return(try) }

//> fn end  2:1-11:2
//>   param print  2:8-2:18
//>     type f64  2:15-2:18
//>   param loop  2:20-2:32
//>     type f64[]  2:26-2:32
//>       int 3  2:30-2:31
//>   param lambda  2:34-2:45
//>     type i64  2:42-2:45
//>   result  2:50-2:53
//>     type f64  2:50-2:53
//>   body  2:54-11:2
//>     let  3:5-3:31
//>       tuple  3:9-3:22
//>         name match  3:10-3:15
//>         name pass  3:17-3:21
//>       tuple  3:25-3:31
//>         int 1  3:26-3:27
//>         int 2  3:29-3:30
//>     let  4:5-4:19
//>       name not  4:9-4:12
//>       true  4:15-4:19
//>     var case  4:21-4:45
//>       index  4:32-4:45
//>         name loop  4:32-4:36
//>         slice  4:37-4:44
//>           from  4:37-4:43
//>             name lambda  4:37-4:43
//>     let  4:47-4:58
//>       name and  4:51-4:54
//>       int 3  4:57-4:58
//>     let  4:60-4:74
//>       name or  4:64-4:66
//>       *  4:69-4:74
//>         name and  4:69-4:72
//>         int 2  4:73-4:74
//>     let  4:76-4:87
//>       name mod  4:80-4:83
//>       int 1  4:86-4:87
//>     for do  5:5-5:34
//>       ..  5:15-5:19
//>         int 0  5:15-5:16
//>         int 3  5:18-5:19
//>       body  5:20-5:34
//>         =  5:22-5:31
//>           place case  5:22-5:26
//>           name do  5:29-5:31
//>     if statement  6:5-6:44
//>       name not  6:8-6:11
//>       then  6:12-6:25
//>         =  6:14-6:22
//>           place case  6:14-6:18
//>           int 1  6:21-6:22
//>       else  6:31-6:44
//>         =  6:33-6:41
//>           place case  6:33-6:37
//>           int 2  6:40-6:41
//>     if statement  7:5-7:28
//>       call  7:8-7:14
//>         name not  7:8-7:11
//>         name x  7:12-7:13
//>       then  7:15-7:28
//>         =  7:17-7:25
//>           place case  7:17-7:21
//>           int 1  7:24-7:25
//>     let  8:5-8:58
//>       name total  8:9-8:14
//>       reduction sum  8:17-8:58
//>         index  8:21-8:31
//>           name end  8:21-8:24
//>           name yield  8:25-8:30
//>         for yield  8:36-8:49
//>           ..  8:45-8:49
//>             int 0  8:45-8:46
//>             int 3  8:48-8:49
//>         for repeat  8:51-8:57
//>     =  9:5-9:14
//>       place print  9:5-9:10
//>       int 3  9:13-9:14
//>     value  10:5-10:10
//>       name match  10:5-10:10
//> fn return  12:1-12:39
//>   param break  12:11-12:21
//>     type f64  12:18-12:21
//>   result  12:26-12:29
//>     type f64  12:26-12:29
//>   body  12:30-12:39
//>     value  12:32-12:37
//>       name break  12:32-12:37
//> fn continue  13:1-13:45
//>   param try  13:13-13:21
//>     type f64  13:18-13:21
//>   result  13:26-13:29
//>     type f64  13:26-13:29
//>   body  13:30-13:45
//>     value  13:32-13:43
//>       call  13:32-13:43
//>         name return  13:32-13:38
//>         name try  13:39-13:42
