import { html } from './html.js'

/** How a pack looks on paper. The margins suit A4 and Letter. */
export const style = html`<style>
@page {
  margin: 15mm 16mm 16mm;
  @bottom-center { content: counter(page) " / " counter(pages); font: 9pt sans-serif; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 180mm;
  background: #fff;
  color: #000;
  font: 10.5pt/1.4 Arial, "Liberation Sans", "Helvetica Neue", sans-serif;
  overflow-wrap: break-word;
}
section { break-before: page; }
h1, h2, h3, h4 { margin: 0 0 2mm; line-height: 1.2; break-after: avoid; }
h1 { font-size: 24pt; }
h2 { font-size: 17pt; margin-bottom: 4mm; }
h3 { font-size: 12pt; margin-top: 6mm; }
h4 { font-size: 10.5pt; margin-top: 4mm; }
p, ul, ol, dl { margin: 0 0 2.5mm; }
p, li, dd { orphans: 3; widows: 3; }
ul, ol { padding-left: 5mm; }
li { break-inside: avoid; margin-bottom: 1mm; }
.boxed { list-style: none; }
.text { white-space: pre-line; }
.over { margin-bottom: 1mm; font-size: 10pt; }
dl { display: grid; grid-template-columns: minmax(28mm, max-content) 1fr; gap: 1mm 5mm; }
dt { font-weight: 600; max-width: 60mm; }
dd { margin: 0; }
dt, dd { break-inside: avoid; }
table { width: 100%; border-collapse: collapse; margin: 0 0 4mm; font-size: 10pt; line-height: 1.3; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th, td { border: 0.3mm solid #777; padding: 1mm 1.8mm; text-align: left; vertical-align: top; }
th { font-weight: 600; }
.minutes { width: 20mm; }
.card { break-inside: avoid; border: 0.5mm solid #000; border-radius: 2mm; padding: 7mm; }
.card h2 { font-size: 19pt; }
.option { break-inside: avoid; border: 0.3mm solid #777; border-radius: 1.5mm; padding: 3mm 4mm; margin-bottom: 3mm; }
.option h3 { margin-top: 0; }
.option p { margin: 0 0 1mm; }
.option .label { font-size: 12pt; font-weight: 600; }
.box { display: inline-block; width: 3.6mm; height: 3.6mm; border: 0.3mm solid #000; margin-right: 2mm; vertical-align: -0.4mm; }
.lines { border-bottom: 0.2mm solid #777; height: 8mm; }
.situation { font-size: 10pt; line-height: 1.35; }
.situation h3 { margin-top: 4mm; }
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 6mm; }
.beside dl { grid-template-columns: minmax(20mm, max-content) 1fr; column-gap: 3mm; }
.beside dt { max-width: 42mm; }
.situation ul { columns: 2; column-gap: 6mm; }
.situation li { margin-bottom: 0; }
.situation dl { row-gap: 0.5mm; }
.document { border: 0.3mm solid #777; padding: 7mm; }
</style>`

/** What only the trainers' pack has: a mark on each of the pages that are not for participants. */
export const trainerStyle = html`<style>
@page trainers { @top-right { content: "For trainers only"; font: 9pt sans-serif; } }
.trainers { page: trainers; }
.outcome { margin-bottom: 5mm; }
.outcome > p { break-inside: avoid; break-after: avoid; }
.outcomes h4 { border-top: 0.3mm solid #777; padding-top: 2mm; font-size: 11pt; }
.said { break-inside: avoid; margin: 0 0 2mm; }
.said p { margin: 0; }
.said .replies { margin: 1mm 0 0; padding-left: 5mm; }
.notes td:last-child { width: 45%; height: 17mm; }
.rubric { break-inside: avoid; margin-bottom: 5mm; }
.rubric table { margin-bottom: 1mm; }
.rubric td { width: 33%; }
.run-sheet table { line-height: 1.25; }
.run-sheet td { padding: 0.6mm 1.5mm; }
.beats th { width: 21%; }
.beats th:nth-child(1) { width: 14mm; }
.beats th:nth-child(2) { width: 31%; }
.after-action { font-size: 10pt; }
.after-action h4 { margin: 2.5mm 0 0; }
.after-action h4 + table { margin-top: 1.5mm; }
.blank th:nth-child(2):nth-last-child(2) { width: 50%; }
.after-action .lines { height: 6.6mm; }
.blank td { height: 7mm; }
.head td { width: 37%; }
.ended th:nth-child(1) { width: 32%; }
.ended th:nth-child(3) { width: 18mm; }
.choice { padding-left: 5.6mm; text-indent: -5.6mm; }
</style>`
