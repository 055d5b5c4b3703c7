/**
 * The fee engine against an oracle that shares no code with it (tests/domain/fees/oracle.ts), in more cases than the suite
 * has time for. Ends with 1 where they differ, and prints the first differences with their cases made small.
 *
 *   npm run campaign -- fees [cases] [seed]
 */
import { cpus } from 'node:os'
import { chanceOf } from '#tests/support/runner/chance.ts'
import { compare, describeDifference } from '#tests/domain/fees/against-oracle.ts'
import { drawCase } from '#tests/domain/fees/oracle-cases.ts'

const maxPrinted = 3

export async function run([cases = '100000', given = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  const [count, seed] = [Number(cases), Number(given)]
  console.log(`fees: ${count} cases, seed ${seed}, ${cpus().length} x ${cpus()[0]?.model}`)
  const began = performance.now()
  const chance = chanceOf(seed)
  const spread = new Map<string, number>()
  let [answers, different] = [0, 0]
  for (let at = 0; at < count; at++) {
    const one = drawCase(chance)
    const compared = compare(one)
    answers += compared.answers
    for (const mark of compared.marks) spread.set(mark, (spread.get(mark) ?? 0) + 1)
    if (compared.difference && ++different <= maxPrinted) console.error(`case ${at}: ${describeDifference(one)}`)
  }
  for (const [mark, times] of [...spread].toSorted()) console.log(`${String(times).padStart(9)}  ${mark}`)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(`${count} cases, ${answers} answers: ${different} differ, ${seconds} s`)
  if (different) process.exitCode = 1
}
