/** The portal's own parts of the client build: Vite plugins, and steps on the built files. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import type { Plugin as PostcssPlugin } from 'postcss'
import type { Plugin } from 'vite'
import { writeSite } from './site.ts'

/** Folder of the built client. The server uses the same variable. */
export const distFolder = resolve(process.env['CLIENT_DIR'] ?? join(import.meta.dirname, '..', 'dist'))
const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)

/**
 * The nonce is fixed per build and not per response: the worker serves the cached page with its header, so a new nonce could not match
 * (H-01). It is derived from the name of the build, so that builds of one commit are equal. It allows PrimeReact's own <style> elements and nothing else.
 */
export function createStampPlugin(build: string, sources: string): Plugin {
  const styleNonce = createHash('sha256').update(`style nonce ${build}`).digest('base64').slice(0, 22)
  let hasFailed = false
  return {
    name: 'portal-stamp',
    buildEnd(error) {
      hasFailed = error !== undefined
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace(/(<meta name="style-nonce" content=")[^"]*(")/, (_all, open, close) => open + styleNonce + close)
          // Every device stores this file, so comments for developers are removed.
          .replace(/\n *<!--.*?-->/g, ''),
    },
    closeBundle: {
      // Written last: a dist/ without build.json is an unfinished build, and is built again.
      order: 'post',
      sequential: true,
      handler() {
        if (hasFailed || this.meta.watchMode) return
        writeFileSync(join(distFolder, 'build.json'), `${JSON.stringify({ build, sources, styleNonce })}\n`)
      },
    },
  }
}

/**
 * The first script only requests others, so it runs as soon as it has arrived (`async`), even while the page is still being parsed. Files
 * that it needs in any case, above all its libraries, are preloaded by the page, so that they need not wait for it.
 */
export const preloadPlugin: Plugin = {
  name: 'portal-named-ahead',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === 'chunk')
      const startChunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/src/app/start.tsx')))
      const entryChunk = chunks.find(({ isEntry }) => isEntry)
      if (!startChunk || !entryChunk) throw new Error('no chunk of the build contains src/app/start.tsx')
      const files = new Set([...entryChunk.imports, startChunk.fileName, ...startChunk.imports])
      files.delete(entryChunk.fileName)
      const tags = [...files].map((file) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/saas/${file}` },
        injectTo: 'head' as const,
      }))
      return { html: html.replace('<script type="module"', '<script type="module" async'), tags }
    },
  },
}

/** Vite names some style sheets in the build map by their full path. This makes the map independent of the folder of the project. */
export function createMapPlugin(root: string, mapFile: string): Plugin {
  return {
    name: 'portal-map',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const map = bundle[mapFile]
        if (map?.type !== 'asset') throw new Error(`the build has no ${mapFile}`)
        const text = String(map.source).replaceAll(JSON.stringify(`${root.replaceAll('\\', '/')}/`).slice(0, -1), '"')
        const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
        entries.sort(([one], [other]) => (one < other ? -1 : 1))
        map.source = `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
      },
    },
  }
}

/** Compresses built files and public pages once with the best compression, not for each visitor. */
export const compressPlugin: Plugin = {
  name: 'portal-squeezed',
  apply: 'build',
  closeBundle: {
    order: 'post',
    sequential: true,
    async handler() {
      const names = await readdir(distFolder, { recursive: true })
      const textFiles = names
        .filter((name) => /\.(js|css|svg|html|webmanifest)$/.test(name))
        .map((name) => join(distFolder, name))
      // A build into another folder is for a test or a measurement, so the public pages are not written.
      if (!process.env['CLIENT_DIR']) textFiles.push(...(await writeSite()))
      await Promise.all(textFiles.map(compressFile))
    },
  },
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file)
  // A file of this size fits into a single network packet without compression.
  if (bytes.length < 1024) return
  const [br, gz] = await Promise.all([
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gzip(bytes, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}

/** Sorts the files, and adds a digest to each. The worker requests files with it, so that the browser refuses any other bytes. */
export async function addDigests<Entry extends { url: string }>(manifest: Entry[]) {
  const sorted = manifest.toSorted((one, other) => (one.url < other.url ? -1 : 1))
  const entries = sorted.map(async (entry) => {
    const bytes = await readFile(join(distFolder, entry.url.replace(/^\/saas\//, '')))
    return { ...entry, integrity: `sha256-${createHash('sha256').update(bytes).digest('base64')}` }
  })
  return { manifest: await Promise.all(entries), warnings: [] }
}

/** Icon fonts contain 600 kB of formats for browsers that cannot run the portal. Only woff2 is kept. */
export const onlyWoff2: PostcssPlugin = {
  postcssPlugin: 'portal-only-woff2',
  AtRule: {
    'font-face': (rule) => {
      const woff2 = rule.toString().match(/url\([^)]*\.woff2[^)]*\)/)?.[0]
      if (!woff2) return
      rule.walkDecls('src', (source) => {
        const woff2Source = `${woff2} format('woff2')`
        if (source.value === woff2Source) return
        if (source.value.includes('.woff2')) source.value = woff2Source
        else source.remove()
      })
    },
  },
}
