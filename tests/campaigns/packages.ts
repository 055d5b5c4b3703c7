/**
 * Reads 100,000 random damaged packages. Each must be read or refused within five seconds, without files written elsewhere and without a
 * memory leak. One in a thousand is also read by the separate reader process, which must give the same result.
 *
 * npm run campaign -- packages [count] [seed]
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatMappFault, mappFaults } from '#domain/catalogue/mapp.ts'
import { readPackageFile } from '#server/drivers/packages/package-reader.ts'
import { readPackage, type PackageReadResult } from '#server/drivers/packages/read-package.ts'
import { createRandom } from '#tests/support/runner/random.ts'
import { mutateBytes } from '#tests/support/uploads/mutate-bytes.ts'
import { packApp } from '#tests/support/uploads/packages.ts'

const maxMs = 5000
const maxMegabytesLeft = 300

export async function run([count = '100000', seedText = String(Date.now() % 1_000_000_000)]: string[]): Promise<void> {
  console.log(`packages: ${count} damaged packages, seed ${seedText}`)
  const random = createRandom(Number(seedText))
  const [validBytes, otherBytes] = [await packApp(), await packApp({ facts: { code: 'tax' }, files: { 'b.txt': 'b' } })]
  const folder = await mkdtemp(join(tmpdir(), 'portal-packages-'))
  const folders = [process.cwd(), folder]
  const listFilesNow = async () => (await Promise.all(folders.map((directory) => readdir(directory)))).join()
  const file = join(folder, 'one.mapp')
  await writeFile(file, '')
  const filesBefore = await listFilesNow()
  const startMemory = process.memoryUsage.rss()
  const resultCounts = new Map<string, number>()
  let slowest = 0
  for (let index = 0; index < Number(count); index++) {
    const bytes = mutateBytes(random, validBytes, otherBytes)
    const startedAt = performance.now()
    const result = describeResult(await readPackage(bytes))
    slowest = Math.max(slowest, performance.now() - startedAt)
    resultCounts.set(result, (resultCounts.get(result) ?? 0) + 1)
    if (index % 1000 === 0) {
      await writeFile(file, bytes)
      const separateResult = describeResult(await readPackageFile(file))
      if (separateResult !== result)
        throw new Error(`package ${index}: ${result} in this process, ${separateResult} in a separate process`)
    }
  }
  const leftMegabytes = (process.memoryUsage.rss() - startMemory) / 1_048_576
  console.log(`  slowest ${slowest.toFixed(0)} ms, ${leftMegabytes.toFixed(0)} MB more than at the start`)
  console.log(`  ${[...resultCounts].map(([result, count]) => `${result} ${count}`).join(', ')}`)
  const filesAfter = await listFilesNow()
  await rm(folder, { recursive: true })
  const unknownResults = [...resultCounts.keys()].filter(
    (result) => result !== 'read' && !mappFaults.some((fault) => fault === result),
  )
  if (unknownResults.length > 0) throw new Error(`unknown results: ${unknownResults.join()}`)
  if (slowest > maxMs) throw new Error(`a package took ${slowest.toFixed(0)} ms, more than ${maxMs} ms`)
  if (leftMegabytes > maxMegabytesLeft) throw new Error(`${leftMegabytes.toFixed(0)} MB of memory were not released`)
  if (filesAfter !== filesBefore) throw new Error('the reader wrote files')
}

const describeResult = (readResult: PackageReadResult) =>
  'fault' in readResult ? (formatMappFault(readResult.fault).split(' ')[0] ?? '') : 'read'
