/**
 * 100,000 damaged packages, drawn from a seed: each is read or refused within five seconds, nothing is written beside them, and no
 * memory is left behind. One in a thousand goes through the reader's own process as well, with the same answer.
 *
 *   npm run campaign -- packages [count] [seed]
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faultAsWord, mappFaults } from '#domain/catalogue/mapp.ts'
import { readPackageFile } from '#server/drivers/packages/package-reader.ts'
import { readPackage, type ReadPackage } from '#server/drivers/packages/read-package.ts'
import { chanceOf } from '#tests/support/runner/chance.ts'
import { mutated } from '#tests/support/uploads/mutated.ts'
import { packed } from '#tests/support/uploads/packages.ts'

const longestMs = 5000
const megabytesLeft = 300

export async function run([count = '100000', given = String(Date.now() % 1_000_000_000)]: string[]): Promise<void> {
  console.log(`packages: ${count} damaged ones, seed ${given}`)
  const chance = chanceOf(Number(given))
  const [sound, other] = [await packed(), await packed({ facts: { code: 'tax' }, files: { 'b.txt': 'b' } })]
  const folder = await mkdtemp(join(tmpdir(), 'portal-packages-'))
  const places = [process.cwd(), folder]
  const filesNow = async () => (await Promise.all(places.map((place) => readdir(place)))).join()
  const file = join(folder, 'one.mapp')
  await writeFile(file, '')
  const before = await filesNow()
  const began = process.memoryUsage.rss()
  const words = new Map<string, number>()
  let slowest = 0
  for (let at = 0; at < Number(count); at++) {
    const bytes = mutated(chance, sound, other)
    const start = performance.now()
    const word = wordOf(await readPackage(bytes))
    slowest = Math.max(slowest, performance.now() - start)
    words.set(word, (words.get(word) ?? 0) + 1)
    if (at % 1000 === 0) {
      await writeFile(file, bytes)
      const apart = wordOf(await readPackageFile(file))
      if (apart !== word) throw new Error(`number ${at}: ${word} here, ${apart} in a process of its own`)
    }
  }
  const left = (process.memoryUsage.rss() - began) / 1_048_576
  console.log(`  slowest ${slowest.toFixed(0)} ms, ${left.toFixed(0)} MB more than at the start`)
  console.log(`  ${[...words].map(([word, many]) => `${word} ${many}`).join(', ')}`)
  const after = await filesNow()
  await rm(folder, { recursive: true })
  const unknown = [...words.keys()].filter((word) => word !== 'read' && !mappFaults.some((one) => one === word))
  if (unknown.length > 0) throw new Error(`answers that nobody knows: ${unknown.join()}`)
  if (slowest > longestMs) throw new Error('one took too long')
  if (left > megabytesLeft) throw new Error('memory was left behind')
  if (after !== before) throw new Error('something was written')
}

const wordOf = (read: ReadPackage) => ('fault' in read ? (faultAsWord(read.fault).split(' ')[0] ?? '') : 'read')
