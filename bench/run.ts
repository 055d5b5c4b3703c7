/**
 * How fast, against the least that could do the same on this machine, in this run.
 *
 *   npm run bench              all figures, some five minutes
 *   npm run bench -- A3 L1     those whose id begins so
 *
 * Ends with 1 where a limit does not hold.
 */
import { catalogue } from './catalogue.ts'
import { asTable, type Bench, type Figure, judge } from './figures.ts'
import { guesses } from './sign-in-timing.ts'
import { keptTrailBench } from './kept-trail.ts'
import { lists } from './lists.ts'
import { orders } from './orders.ts'
import { outbox } from './outbox.ts'
import { page } from './page.ts'
import { update } from './update.ts'

const benches: readonly Bench[] = [page, lists, keptTrailBench, outbox, update, orders, catalogue, guesses]
const asked = process.argv.slice(2)
const isAsked = (id: string) => asked.length === 0 || asked.some((begin) => id.startsWith(begin))

const began = performance.now()
const figures: Figure[] = []
for (const bench of benches.filter(({ ids }) => ids.some(isAsked)))
  figures.push(...(await bench.measure((line) => console.log(`        ${line}`))).filter(({ id }) => isAsked(id)))

console.log(`\n${asTable(figures)}\n`)
const failed = figures.filter((figure) => judge(figure) === 'FAILED')
console.log(
  `${figures.length - failed.length} hold, ${failed.length} failed, in ${((performance.now() - began) / 60_000).toFixed(1)} min`,
)
process.exitCode = failed.length > 0 || figures.length === 0 ? 1 : 0
