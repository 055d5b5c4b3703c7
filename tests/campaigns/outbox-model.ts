/**
 * The outbox against its promise (tests/outbox-model), further than the suite may: all crash points of all short histories, then
 * as many random long ones as are asked for, in two processes. Ends with 1 at the first promise that is broken, and says
 * with which seed and path it is had again, by `replay`.
 *
 *   npm run campaign -- outbox-model [histories] [seed]
 *   npm run campaign -- outbox-model replay <seed> <path>
 */
import 'fake-indexeddb/auto'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { dieEverywhere, shorts } from '#tests/outbox-model/crashes.ts'
import { liveMany, type Sum } from '#tests/outbox-model/random.ts'

interface Share {
  seed: number
  runs: number
  /** Of the short histories: those whose place leaves this rest. */
  rest: number
}

interface Lived extends Sum {
  points: number
}

const processes = 2
/** So that what is printed on the way tells how far it is. */
const atOnce = 250

async function liveShare({ seed, runs, rest }: Share): Promise<Lived> {
  const lived: Lived = { histories: 0, steps: 0, effects: 0, wishes: 0, points: 0 }
  for (const [at, short] of shorts.entries()) if (at % processes === rest) lived.points += await dieEverywhere(short)
  console.log(`${lived.points} crash points of short histories`)
  for (let done = 0; done < runs; done += atOnce) {
    const sum = await liveMany({ seed: seed + done, runs: Math.min(atOnce, runs - done) })
    for (const name of ['histories', 'steps', 'effects', 'wishes'] as const) lived[name] += sum[name]
    console.log(`${lived.histories} histories, last seed ${seed + done}`)
  }
  return lived
}

async function inProcess(share: Share): Promise<Lived> {
  const args = ['outbox-model', 'share', JSON.stringify(share)]
  const child = fork(new URL('run.ts', import.meta.url), args)
  const [told] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])])
  if (!told) throw new Error('a promise was broken, see above')
  return told as Lived
}

export async function run(args: string[]): Promise<void> {
  if (args[0] === 'share') {
    // The other one has found a promise broken: nobody waits for this one any more.
    process.once('disconnect', () => process.exit())
    const lived = await liveShare(JSON.parse(args[1] ?? '') as Share)
    process.send?.(lived)
    process.disconnect()
    return
  }
  if (args[0] === 'replay') {
    const [, seed, path] = args
    await liveMany({ seed: Number(seed), runs: atOnce, path })
    console.log('no promise broken')
    return
  }
  const [histories = '10000', given = String(Date.now() % 1_000_000)] = args
  const [runs, seed] = [Math.ceil(Number(histories) / processes), Number(given)]
  console.log(`outbox-model: ${histories} histories, seed ${seed}, ${cpus().length} x ${cpus()[0]?.model}`)
  const began = performance.now()
  const shares = Array.from({ length: processes }, (_, rest) =>
    inProcess({ seed: seed + rest * 1_000_000, runs, rest }),
  )
  const all = await Promise.all(shares)
  const sum = (name: keyof Lived) => all.reduce((total, one) => total + one[name], 0)
  console.log(
    `${shorts.length} short histories killed at each of ${sum('points')} points; ${sum('histories')} random histories, ` +
      `${sum('steps')} steps, ${sum('wishes')} writes, ${sum('effects')} effects: no promise broken, ` +
      `${((performance.now() - began) / 60_000).toFixed(1)} min`,
  )
}
