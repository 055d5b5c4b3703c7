/**
 * Measures the portal's speed against the minimum that could do the same on this computer, in this run.
 *
 * npm run bench: all figures, about five minutes.
 * npm run bench -- A3 L1: figures whose id begins with one of these.
 *
 * Exits with 1 if a limit is exceeded. The nightly run reads the figures from the file that FIGURES_REPORT names.
 */
import { writeFileSync } from 'node:fs'
import { catalogueBench } from './catalogue.ts'
import { formatTable, formatValue, type Bench, type BenchFigure, getLimitText, judgeFigure } from './figures.ts'
import { signInTimingBench } from './sign-in-timing.ts'
import { storedTrailBench } from './stored-trail.ts'
import { listsBench } from './lists.ts'
import { ordersBench } from './orders.ts'
import { outboxBench } from './outbox.ts'
import { pageBench } from './page.ts'
import { searchBench } from './search.ts'
import { updateBench } from './update.ts'

const benches: readonly Bench[] = [
  pageBench,
  listsBench,
  searchBench,
  storedTrailBench,
  outboxBench,
  updateBench,
  ordersBench,
  catalogueBench,
  signInTimingBench,
]
const requestedIds = process.argv.slice(2)
const isRequested = (id: string) => requestedIds.length === 0 || requestedIds.some((prefix) => id.startsWith(prefix))

const startedAt = performance.now()
const figures: BenchFigure[] = []
for (const bench of benches.filter(({ ids }) => ids.some(isRequested)))
  figures.push(...(await bench.measure((line) => console.log(`        ${line}`))).filter(({ id }) => isRequested(id)))

console.log(`\n${formatTable(figures)}\n`)
const failedFigures = figures.filter((figure) => judgeFigure(figure) === 'FAILED')
console.log(
  `${figures.length - failedFigures.length} within their limits, ${failedFigures.length} failed, in ${((performance.now() - startedAt) / 60_000).toFixed(1)} min`,
)
const { FIGURES_REPORT: reportPath } = process.env
if (reportPath)
  writeFileSync(
    reportPath,
    JSON.stringify(
      figures.map((figure) => ({
        id: figure.id,
        value: formatValue(figure),
        limit: getLimitText(figure),
        hasPassed: judgeFigure(figure) !== 'FAILED',
      })),
    ),
  )
process.exitCode = failedFigures.length > 0 || figures.length === 0 ? 1 : 0
