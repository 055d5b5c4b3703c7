/**
 * Runs the models with one fault in the product. `MUTANT` is the name of the fault. Only the text that vitest loads is changed, not the
 * file.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vitest/config'
import { mutants } from './list.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const mutant = mutants.find(({ name }) => name === process.env['MUTANT'])
if (!mutant) throw new Error(`no mutant is called ${process.env['MUTANT']}`)
const { file, from, to } = mutant
if (readFileSync(join(root, file), 'utf8').split(from).length !== 2) throw new Error(`${file} has changed under it`)

const mutate: Plugin = {
  name: 'portal-mutant',
  enforce: 'pre',
  load: (id) => (id === join(root, file) ? readFileSync(id, 'utf8').replace(from, () => to) : undefined),
}

export default defineConfig({
  root,
  plugins: [mutate],
  define: { __BUILD__: JSON.stringify('mutant') },
  test: {
    include: ['tests/outbox-model/caught.night.test.ts'],
    setupFiles: ['fake-indexeddb/auto'],
    testTimeout: 180_000,
    // The transformed code of one mutant must not be reused for the next.
    fsModuleCache: false,
  },
})
