/**
 * Compares the fee engine with an independent oracle (tests/domain/fees/oracle.ts) in more cases than the suite has time for. Exits with 1
 * on a difference and prints the first ones, reduced to minimal cases.
 *
 * npm run campaign -- fees [cases] [seed]
 */
import { cpus } from 'node:os'
import { createRandom } from '#tests/support/runner/random.ts'
import { compareCase, describeDifference } from '#tests/domain/fees/compare-with-oracle.ts'
import { drawCase } from '#tests/domain/fees/oracle-cases.ts'

const maxPrinted = 3

export async function run([cases = '100000', seedText = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  const [count, seed] = [Number(cases), Number(seedText)]
  console.log(`fees: ${count} cases, seed ${seed}, ${cpus().length} x ${cpus()[0]?.model}`)
  const startedAt = performance.now()
  const random = createRandom(seed)
  const markCounts = new Map<string, number>()
  let [answers, differenceCount] = [0, 0]
  for (let caseIndex = 0; caseIndex < count; caseIndex++) {
    const feeCase = drawCase(random)
    const comparison = compareCase(feeCase)
    answers += comparison.resultCount
    for (const mark of comparison.marks) markCounts.set(mark, (markCounts.get(mark) ?? 0) + 1)
    if (comparison.difference && ++differenceCount <= maxPrinted)
      console.error(`case ${caseIndex}: ${describeDifference(feeCase)}`)
  }
  for (const [mark, count] of [...markCounts].toSorted()) console.log(`${String(count).padStart(9)}  ${mark}`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`${count} cases, ${answers} answers: ${differenceCount} differ, ${seconds} s`)
  if (differenceCount) process.exitCode = 1
}
