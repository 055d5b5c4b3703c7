/** Splits the client's code by device and time of use, as labelled at the import() calls (docs/decisions/0085). */
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vite'
import {
  type ChunkLabel,
  type ModuleGraph,
  parseLabel,
  type ChunkPart,
  type Placement,
  placeModules,
} from './chunk-placement.ts'

/** `import(/* chunk: orders list *\/ '#features/orders/list/ContractsPage.tsx')` */
const labelledImport = /import\(\s*\/\* chunk: ([\w\s-]+?) \*\/\s*'([^']+)'/g
/** File with the part of each file that not every device stores. */
const partsFile = 'parts.json'

/** Returns true for a file with one noun's messages in one language. */
const isLocaleFile = (id: string) => basename(dirname(dirname(id))) === 'locales'

export function chunkSplitting(root: string, earlyNouns: readonly string[]) {
  const labels = new Map<string, ChunkLabel>()
  let placements = new Map<string, Placement>()
  const parts = new Map<string, ChunkPart>()
  /** Locale files in the chunk of the code that imports them. Other locale files are separate chunks. */
  const importedLocaleFiles = new Set<string>()
  let firstFile = ''

  const plugin: Plugin = {
    name: 'portal-chunks',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { code: '/* chunk: ' },
      async handler(code, importer) {
        const matches = [...code.matchAll(labelledImport)]
        if (matches.length !== code.split('/* chunk: ').length - 1)
          this.error(`${importer} has a chunk comment outside import(/* chunk: … */ '…')`)
        for (const [, text = '', target = ''] of matches) {
          const resolvedTarget = await this.resolve(target, importer)
          if (!resolvedTarget) this.error(`${importer} loads ${target}, which does not exist`)
          labels.set(`${importer}\n${resolvedTarget.id}`, parseLabel(text))
        }
      },
    },
    buildEnd(error) {
      if (error) return
      const graph: ModuleGraph = new Map(
        [...this.getModuleIds()].map((id) => {
          const { importedIds = [], dynamicallyImportedIds = [] } = this.getModuleInfo(id) ?? {}
          const lazy = dynamicallyImportedIds.map((target) => ({
            id: target,
            label: labels.get(`${id}\n${target}`) ?? {},
          }))
          return [id, { static: importedIds, lazy }]
        }),
      )
      for (const [id] of graph) {
        const { importers = [], dynamicImporters = [] } = this.getModuleInfo(id) ?? {}
        if (!isLocaleFile(id) || importers.length === 0) continue
        importedLocaleFiles.add(id)
        if (dynamicImporters.length > 0)
          this.error(`${importers[0]} already imports ${id}: remove it from src/app/i18n/locale-files.ts`)
      }
      placements = placeModules(
        [...graph.keys()].filter((id) => this.getModuleInfo(id)?.isEntry),
        graph,
      )
    },
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.isEntry) firstFile = file.fileName
        const ids = file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map((name) => resolve(root, name))
        const part = ids.map((id) => placements.get(id)?.part ?? placements.get(`${id}?url`)?.part).find((one) => one)
        if (part && part !== 'everybody') parts.set(file.fileName, part)
      }
    },
    writeBundle: async ({ dir = '' }) => {
      const sorted = [...parts].sort(([one], [other]) => (one < other ? -1 : 1))
      await writeFile(join(dir, partsFile), `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`)
    },
  }

  function getChunkName(id: string): string | null {
    const placement = placements.get(id)
    const isLoadedAlone = isLocaleFile(id) && !importedLocaleFiles.has(id)
    if (placement?.part !== 'everybody' || !isLoadedAlone) return placement?.chunk ?? null
    const kind = earlyNouns.includes(basename(id, '.json')) ? 'words' : 'more-words'
    return `${kind}-${basename(dirname(id))}`
  }

  return {
    plugin,
    codeSplitting: { groups: [{ name: getChunkName }], includeDependenciesRecursively: false },
    assetFileNames({ originalFileNames: [name = ''] }: { originalFileNames: string[] }): string {
      const part = placements.get(`${resolve(root, name)}?url`)?.part ?? 'everybody'
      return `assets/${part === 'everybody' ? '' : `${part}-`}[name]-[hash][extname]`
    },
    /** The first script requests all files of the current page together. Other imports need no list, because the browser follows them. */
    filesToPreload: (_file: string, files: string[], { hostId }: { hostId: string }) =>
      hostId === firstFile ? files : [],
    /** Changes the worker's list of files: removes files that no device stores, and adds the part of the others. */
    addParts<Entry extends { url: string }>(manifest: Entry[]) {
      const storedEntries = manifest
        .map((entry) => ({ ...entry, part: parts.get(entry.url.slice(entry.url.indexOf('assets/'))) }))
        .filter(({ part }) => part !== 'online')
      return { manifest: storedEntries, warnings: [] }
    },
  }
}
