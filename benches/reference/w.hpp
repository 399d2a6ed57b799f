// Primal workloads, generic over the scalar. All sizes are compile-time constants; passive data are global doubles.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <string>
#include <algorithm>
#include <chrono>
using std::sin; using std::cos; using std::exp; using std::log; using std::sqrt; using std::pow; using std::tanh;
static std::string DD=getenv("DATA_DIR")?getenv("DATA_DIR"):"data";
inline std::vector<double> rd(const std::string&n){FILE*f=fopen((DD+"/"+n+".bin").c_str(),"rb");if(!f){perror(n.c_str());exit(1);}fseek(f,0,SEEK_END);long s=ftell(f)/8;rewind(f);std::vector<double>v(s);if(fread(v.data(),8,s,f)!=(size_t)s)exit(2);fclose(f);return v;}
alignas(64) inline double W3b[100],W3A[10000],W4X[64*32]; inline int W4L[64];
alignas(64) inline double G10X[10000],G2X[2000],W7S[56],W7Q[1024*14],W9Ar[4096],W9Ai[4096];
inline std::vector<double> W6F;
inline void load(){auto a=rd("w3_data");std::copy(a.begin(),a.begin()+100,W3b);std::copy(a.begin()+100,a.end(),W3A);
 a=rd("w4_data");std::copy(a.begin(),a.begin()+2048,W4X);for(int i=0;i<64;i++)W4L[i]=(int)a[2048+i];
 a=rd("w5_10_25_data");std::copy(a.begin(),a.end(),G10X);a=rd("w5_2_5_data");std::copy(a.begin(),a.end(),G2X);
 a=rd("w7_data");std::copy(a.begin(),a.begin()+56,W7S);std::copy(a.begin()+56,a.end(),W7Q);
 a=rd("w9_data");std::copy(a.begin(),a.begin()+4096,W9Ar);std::copy(a.begin()+4096,a.end(),W9Ai);W6F=rd("w6_data");}
template<class T> T w1(const T*p){const T&x=p[0],&y=p[1],&z=p[2];
 T a=sin(x*y),b=cos(y+z),c=exp(0.3*x-z),xy=x*x+y*y,d=log(1.0+xy),e=sqrt(xy+z*z+1.0);
 T g=a*b/(1.0+e),h=pow(d+1.5,2.3),u=sin(c)*exp(-(d*d)),v=log(e+exp(z*y)),r=pow(e,x),s=cos(g*h)/sqrt(1.0+u*u);
 T f=g*h+u*v+r*s+log(1.0+c*c)*sin(v);return f;}
template<class T> T w2(const T*x){T s=0.0;for(int i=0;i<999;i++){T a=x[i+1]-x[i]*x[i],b=1.0-x[i];s=s+100.0*(a*a)+b*b;}return s;}
template<class T> T w3(const T*x){T bx=0.0;for(int i=0;i<100;i++)bx=bx+W3b[i]*x[i];T om=1.0-bx;T s=0.0;
 for(int i=0;i<100;i++)s=s+x[i]*log(x[i]/om);T q=0.0;
 for(int i=0;i<100;i++){T t=0.0;for(int j=0;j<100;j++)t=t+W3A[i*100+j]*x[j];q=q+x[i]*t;}
 const double r2=std::sqrt(2.0);T f=s-q/(std::sqrt(8.0)*bx)*log((1.0+(1.0+r2)*bx)/(1.0+(1.0-r2)*bx));return f;}
template<class T> T w4(const T*p){const T*A=p,*b1=p+2048,*B=p+2112,*b2=p+2752;T tot=0.0;
 for(int n=0;n<64;n++){T h[64],o[10];for(int j=0;j<64;j++)h[j]=b1[j];
  for(int i=0;i<32;i++)for(int j=0;j<64;j++)h[j]=h[j]+W4X[n*32+i]*A[i*64+j];
  for(int j=0;j<64;j++)h[j]=tanh(h[j]);for(int k=0;k<10;k++)o[k]=b2[k];
  for(int j=0;j<64;j++)for(int k=0;k<10;k++)o[k]=o[k]+h[j]*B[j*10+k];
  T m=o[0];for(int k=1;k<10;k++)if(o[k]>m)m=o[k];
  T s=0.0;for(int k=0;k<10;k++)s=s+exp(o[k]-m);tot=tot+(log(s)+m-o[W4L[n]]);}
 T f=tot/64.0;return f;}
inline double wishC(int p,int m,double g){int n=p+m+1;double o=0.25*p*(p-1)*std::log(M_PI);for(int j=1;j<=p;j++)o+=lgamma(0.5*n+0.5*(1-j));return n*p*(std::log(g)-0.5*std::log(2.0))-o;}
static const double WC10=wishC(10,0,1.0),WC2=wishC(2,0,1.0);
// gamma=1, m=0
template<class T,int D,int K> T gmm(const T*p,const double*X,double C){const int N=1000,S=D*(D+1)/2;const T*al=p,*mu=p+K,*ic=p+K+D*K;
 T Q[D*K],sq[K];for(int k=0;k<K;k++){sq[k]=0.0;for(int i=0;i<D;i++){sq[k]=sq[k]+ic[k*S+i];Q[k*D+i]=exp(ic[k*S+i]);}}
 T slse=0.0;
 for(int n=0;n<N;n++){T mt[K];for(int k=0;k<K;k++){T xc[D],q[D];for(int i=0;i<D;i++){xc[i]=X[n*D+i]-mu[k*D+i];q[i]=Q[k*D+i]*xc[i];}
   int L=0;for(int i=0;i<D;i++)for(int j=i+1;j<D;j++){q[j]=q[j]+ic[k*S+D+L]*xc[i];L++;}
   T s=q[0]*q[0];for(int i=1;i<D;i++)s=s+q[i]*q[i];mt[k]=al[k]+sq[k]-0.5*s;}
  T m=mt[0];for(int k=1;k<K;k++)if(mt[k]>m)m=mt[k];T s=0.0;for(int k=0;k<K;k++)s=s+exp(mt[k]-m);slse=slse+log(s)+m;}
 T m=al[0];for(int k=1;k<K;k++)if(al[k]>m)m=al[k];T s=0.0;for(int k=0;k<K;k++)s=s+exp(al[k]-m);
 T w=0.0;for(int k=0;k<K;k++){for(int i=0;i<D;i++)w=w+Q[k*D+i]*Q[k*D+i];for(int i=D;i<S;i++)w=w+ic[k*S+i]*ic[k*S+i];}
 T f=slse-(double)N*(log(s)+m)+0.5*w+(-(double)K*C-(double)N*D*0.5*std::log(2*M_PI));return f;}
template<class T> T w5a(const T*p){return gmm<T,10,25>(p,G10X,WC10);}
template<class T> T w5b(const T*p){return gmm<T,2,5>(p,G2X,WC2);}
template<class T,class F> void w6(const T*p,const F*ft,T*o){const T*c=p,*X=p+11;T pt[3],w[3];for(int i=0;i<3;i++)pt[i]=X[i]-c[3+i];
 T s2=c[0]*c[0]+c[1]*c[1]+c[2]*c[2];T r[3];
 if(s2!=0.0){T th=sqrt(s2),ct=cos(th),st=sin(th),iv=1.0/th;for(int i=0;i<3;i++)w[i]=c[i]*iv;
  T cr[3]={w[1]*pt[2]-w[2]*pt[1],w[2]*pt[0]-w[0]*pt[2],w[0]*pt[1]-w[1]*pt[0]};T tmp=(w[0]*pt[0]+w[1]*pt[1]+w[2]*pt[2])*(1.0-ct);
  for(int i=0;i<3;i++)r[i]=pt[i]*ct+cr[i]*st+w[i]*tmp;}
 else{r[0]=pt[0]+c[1]*pt[2]-c[2]*pt[1];r[1]=pt[1]+c[2]*pt[0]-c[0]*pt[2];r[2]=pt[2]+c[0]*pt[1]-c[1]*pt[0];}
 T px=r[0]/r[2],py=r[1]/r[2];T rs=px*px+py*py;T L=1.0+c[9]*rs+c[10]*rs*rs;
 o[0]=p[14]*(px*L*c[6]+c[7]-ft[0]);o[1]=p[14]*(py*L*c[6]+c[8]-ft[1]);}
template<class T> inline T sigm(const T&x){T y=1.0/(1.0+exp(-x));return y;}
template<class T> T w7(const T*p){const int l=2,c=1024,b=14;const T*ex=p+8*l*b;T st[2*l*b];for(int i=0;i<2*l*b;i++)st[i]=W7S[i];T tot=0.0;
 for(int t=0;t<c-1;t++){const double*in=W7Q+t*b,*yg=W7Q+(t+1)*b;T y[b];for(int i=0;i<b;i++)y[i]=in[i]*ex[i];
  for(int m=0;m<l;m++){const T*W=p+8*b*m,*B=W+4*b;T*h=st+2*b*m,*ce=h+b;
   for(int i=0;i<b;i++){T f=sigm<T>(y[i]*W[i]+B[i]),g=sigm<T>(h[i]*W[b+i]+B[b+i]),o=sigm<T>(y[i]*W[2*b+i]+B[2*b+i]),ch=tanh(h[i]*W[3*b+i]+B[3*b+i]);
    ce[i]=ce[i]*f+g*ch;h[i]=o*tanh(ce[i]);y[i]=h[i];}}
  T s=2.0;for(int i=0;i<b;i++){y[i]=y[i]*ex[b+i]+ex[2*b+i];s=s+exp(y[i]);}T lse=log(s);
  for(int i=0;i<b;i++)tot=tot+yg[i]*(y[i]-lse);}
 T f=-tot/(double)((c-1)*b);return f;}
template<class T> T w8(const T*p){const double dt=0.01;T x=p[4],y=p[5];const T&a=p[0],&b=p[1],&c=p[2],&d=p[3];
 for(int i=0;i<1000;i++){
  T k1=x*(a-b*y),l1=y*(c*x-d);T x2=x+(0.5*dt)*k1,y2=y+(0.5*dt)*l1;
  T k2=x2*(a-b*y2),l2=y2*(c*x2-d);T x3=x+(0.5*dt)*k2,y3=y+(0.5*dt)*l2;
  T k3=x3*(a-b*y3),l3=y3*(c*x3-d);T x4=x+dt*k3,y4=y+dt*l3;
  T k4=x4*(a-b*y4),l4=y4*(c*x4-d);
  x=x+(dt/6)*(k1+2.0*(k2+k3)+k4);y=y+(dt/6)*(l1+2.0*(l2+l3)+l4);}
 T f=x*x+y*y;return f;}
template<class T> T w9(const T*p){const int N=64;const T*x=p,*y=p+N;T s=0.0,xy=0.0,S=0.0;
 for(int k=0;k<N;k++){T vr=0.0,vi=0.0;for(int j=0;j<N;j++){vr=vr+(W9Ar[k*N+j]*x[j]-W9Ai[k*N+j]*y[j]);vi=vi+(W9Ar[k*N+j]*y[j]+W9Ai[k*N+j]*x[j]);}
  T n=x[k]*x[k],m=y[k]*y[k];s=s+(vr*vr+vi*vi)/(1.0+n+m);xy=xy+x[k]*y[k];S=S+(n-m);}
 T f=s+exp(-2.0*xy)*cos(S);return f;}
// timing: the least of many batches, in BENCH_SECONDS
static double SECONDS=getenv("BENCH_SECONDS")?atof(getenv("BENCH_SECONDS")):0.35;
template<class F> double bench(F f,double tot=SECONDS){using C=std::chrono::steady_clock;auto ns=[](auto d){return (double)std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();};
 auto t0=C::now();f();double one=std::max(20.0,ns(C::now()-t0));t0=C::now();f();one=std::min(one,std::max(20.0,ns(C::now()-t0)));
 int inner=std::max(1,(int)(2e5/one));std::vector<double>r;auto T0=C::now();
 while((ns(C::now()-T0)<tot*1e9||r.size()<9)&&r.size()<2000){asm volatile("vzeroupper":::"memory");auto a=C::now();for(int i=0;i<inner;i++){f();asm volatile("":::"memory");}r.push_back(ns(C::now()-a)/inner);if(ns(C::now()-T0)>20e9)break;}
 return *std::min_element(r.begin(),r.end());}
inline void report(const char*peer,const char*w,double prim,double grad,double comp,double val,const double*g,int n,const char*note=""){
 double s=0,q=0;for(int i=0;i<n;i++){s+=g[i]*g[i];q+=g[i]*(1+i%7);}
 printf("{\"peer\":\"%s\",\"w\":\"%s\",\"primal_ns\":%.1f,\"grad_ns\":%.1f,\"compile_ms\":%.3f,\"value\":%.12g,\"gnorm\":%.10g,\"gsum\":%.10g,\"note\":\"%s\"}\n",peer,w,prim,grad,comp,val,std::sqrt(s),q,note);fflush(stdout);}
