use machine::Machine; use model::{*, pipeline::*}; use std::collections::HashMap; use syntax::sass::Listing;
struct V{first:u32,last:u32,a:u64,b:u64, per:Vec<Option<u64>>, trace:bool, names:Vec<String>, rounds:u32, seen:u32}
impl View for V { fn issued(&mut self,i:&Issue)->bool{ 
  if i.inst==self.first { self.seen+=1; self.a=u64::MAX; }
  if i.inst==self.first { if self.per[i.warp as usize].is_none() || self.rounds==2 {self.per[i.warp as usize]=Some(i.cycle);} }
  if i.inst==self.last {self.b=self.b.max(i.cycle);} 
  if self.trace { println!("{} w{} {:?} {}", i.cycle, i.warp, i.stall, self.names[i.inst as usize]); } true } }
fn main(){
 let kind=std::env::args().nth(1).unwrap(); let warps:Vec<u32>=std::env::args().nth(2).unwrap().split(',').map(|x|x.parse().unwrap()).collect(); let only=std::env::args().nth(3);
 let dir="/work/shared/hardware/h100/blocks/";
 let mut w:HashMap<(String,u32),u32>=HashMap::new(); let mut trips:HashMap<(String,u32),u32>=HashMap::new();
 for l in std::fs::read_to_string("/tmp/sim/w.csv").unwrap().lines(){ let v:Vec<&str>=l.split(',').collect(); let (a,b)=(v[1].parse().unwrap(),v[2].parse().unwrap()); if let Some(n)=v[0].strip_prefix("T:"){trips.insert((n.into(),a),b);} else {w.insert((v[0].into(),a),b);} }
 let mut meas:HashMap<(String,u32),(u64,u64)>=HashMap::new();
 for l in std::fs::read_to_string(format!("{dir}{kind}.csv")).unwrap().lines(){ let v:Vec<&str>=l.split(',').collect(); if v.len()==6 && v[0]!="name" { meas.insert((v[0].into(),v[1].parse().unwrap()),(v[2].parse().unwrap(),v[4].parse().unwrap())); } }
 let text=std::fs::read_to_string(format!("{dir}{kind}.sass")).unwrap();
 let listing=Listing::parse(&text); let arch=Machine::builtin().gpu_for_sm(90).arch;
 let mut by:std::collections::BTreeMap<(String,u32),Vec<(f64,i64)>>=Default::default();
 let mut total=0; let t0=std::time::Instant::now();
 let mut simtime=std::time::Duration::ZERO;
 for chunk in listing.chunks(){ let Some(name)=chunk.name() else{continue}; let name=name.to_string(); if chunk.instructions().is_empty(){continue}
  if let Some(o)=&only { if !name.contains(o.as_str()){continue} }
  let p=Program::decode(chunk,&arch);
  let texts:Vec<String>=chunk.instructions().iter().map(|i|{let l=chunk.line_text(i.line as usize); l.chars().take(90).collect()}).collect();
  let req=|i:usize| w.get(&(name.clone(),p.instructions[i].address)).copied();
  let Some(code)=Code::new(chunk,&p,req) else {println!("{name} no code"); continue};
  let clocks:Vec<u32>=(0..texts.len()).filter(|&i|texts[i].contains("SR_CLOCKLO")).map(|x|x as u32).collect();
  if clocks.len()!=2 {println!("{name} clocks {}",clocks.len());continue}
  let bar=(0..clocks[0]).rev().find(|&i|texts[i as usize].contains("BAR.SYNC")).unwrap();
  let way=match Way::between(&p,|b|trips.get(&(name.clone(),p.instructions[b as usize].address)).copied(),clocks[0],clocks[1]) {Ok(w)=>w,Err(e)=>{println!("{name} {e}");continue}}; let path=way.path; let rounds=path.rounds; if path.start!=bar {println!("{name} start {} bar {bar}",path.start);}
  for &n in &warps { let Some(&(mf,ms))=meas.get(&(name.clone(),n)) else {continue};
   if kind=="loops" { let one=meas[&(name.clone(),1)].0; if one<100 {continue} }
   let mut v=V{first:clocks[0],last:clocks[1],a:0,b:0,per:vec![None;n as usize],trace:only.is_some()&&warps.len()==1,names:texts.clone(),rounds,seen:0};
   let t1=std::time::Instant::now();
   match simulate(&code,&path,n,50_000_000,&mut v) { Ok(k)=>total+=k, Err(e)=>{println!("{name} {n} {e:?}");continue} }
   simtime+=t1.elapsed();
   let a=v.per.iter().flatten().min().unwrap(); let span=v.b-a; let m=if n==1 {mf} else {ms};
   let e=span as f64/m as f64-1.0; by.entry((name.rsplit('_').next().unwrap().into(),n)).or_default().push((e,span as i64-m as i64));
   if std::env::var("ALL").is_ok() || only.is_some() {println!("{name} {n} pred {span} meas {m} {:+.2}%",e*100.0);}
  } }
 for ((c,n),v) in &by { let mean=v.iter().map(|x|x.0.abs()).sum::<f64>()/v.len() as f64; println!("{c:8} {n:3} n {} mean {:.2}% bias {:+.2}% exact {} within2 {}",v.len(),mean*100.0,v.iter().map(|x|x.0).sum::<f64>()/v.len() as f64*100.0,v.iter().filter(|x|x.1==0).count(),v.iter().filter(|x|x.1.abs()<=2).count()); }
 println!("{total} issues, sim {:?} = {:.2} M/s, all {:?}",simtime,total as f64/simtime.as_secs_f64()/1e6,t0.elapsed());
}
