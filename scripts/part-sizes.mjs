/**
 * Measures the gzipped size of each part of PrimeReact: alone, and in addition to the dialog, which shares most of its code. The figures
 * are those of docs/decisions/0045.
 *
 * node scripts/part-sizes.mjs
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const parts = `ProgressBar Steps TabView OverlayPanel AutoComplete
  DataTable Paginator Dropdown ListBox InputNumber Calendar InputSwitch Menu Toast Chart`.split(/\s+/)

async function bytesOf(names) {
  const entry = join(root, 'src', 'ui', 'prime', 'measured.js')
  const code = names.map((name) => `export { ${name} } from 'primereact/${name.toLowerCase()}'`).join('\n')
  const measured = {
    name: 'measured',
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? code : null),
  }
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [measured],
    build: {
      write: false,
      rollupOptions: {
        input: entry,
        external: /^react(-dom|-transition-group)?(\/|$)/,
        preserveEntrySignatures: 'strict',
      },
    },
  })
  return gzipSync(output[0].code, { level: 9 }).length
}

const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} kB`
const dialog = await bytesOf(['Dialog'])
process.stdout.write(`Dialog: ${kilo(dialog)}\n`)
for (const part of parts) {
  const more = (await bytesOf(['Dialog', part])) - dialog
  process.stdout.write(`${part}: ${kilo(await bytesOf([part]))} alone, ${kilo(more)} more with the dialog\n`)
}
