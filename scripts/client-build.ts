/** The parts of the client's build that are our own: plugins of Vite, and what is done to the files it wrote. */
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import type { Plugin as PostcssPlugin } from 'postcss'
import type { Plugin } from 'vite'
import { keepFormer, readFormer } from './previous-build.mjs'
import { writeSite } from './site.ts'

/** Where the client is built into; the server takes it from there by the same name. */
export const distFolder = resolve(process.env['CLIENT_DIR'] ?? join(import.meta.dirname, '..', 'dist'))
const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)

/**
 * The nonce is fixed per build, not per response: the worker replays the stored page and its header together, so a
 * fresh one could not match (H-01). It lets PrimeReact's own <style> elements through and nothing else.
 */
export function createStampPlugin(build: string, sources: string): Plugin {
  const styleNonce = randomBytes(16).toString('base64')
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
          // Every device stores this file: what it says to us stays here.
          .replace(/\n *<!--.*?-->/g, ''),
    },
    closeBundle: {
      // Last of all: a dist/ without build.json is a build that was cut off, and is made again.
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
 * The first script only sends for others, so it runs as soon as it is here (`async`), whatever else is still being read
 * in. What it needs in any case, its libraries above all, the page itself names, so that they do not wait for it.
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
      if (!startChunk || !entryChunk) throw new Error('the build has no chunk with src/app/start.tsx')
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

/** With the public pages, which are no part of the bundle. Squeezed once and as far as it goes, not for each visitor anew. */
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
      // A build elsewhere is one for a test or a measurement, beside the site that stands.
      if (!process.env['CLIENT_DIR']) textFiles.push(...(await writeSite()))
      await Promise.all(textFiles.map(compressFile))
    },
  },
}

/** What is already here is read before the folder is emptied, and put back squeezed as it was. */
export function createFormerBuildPlugin(): Plugin {
  let files = new Map<string, Uint8Array>()
  return {
    name: 'portal-former',
    apply: 'build',
    async buildStart() {
      files = await readFormer(distFolder)
    },
    closeBundle: { order: 'post', sequential: true, handler: () => keepFormer(distFolder, files) },
  }
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file)
  // A packet carries that much anyway.
  if (bytes.length < 1024) return
  const [br, gz] = await Promise.all([
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    gzip(bytes, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}

/** Asked for by the worker with each file, so that the browser refuses any other bytes. */
export async function addDigests<Entry extends { url: string }>(manifest: Entry[]) {
  const entries = manifest.map(async (entry) => {
    const bytes = await readFile(join(distFolder, entry.url.replace(/^\/saas\//, '')))
    return { ...entry, integrity: `sha256-${createHash('sha256').update(bytes).digest('base64')}` }
  })
  return { manifest: await Promise.all(entries), warnings: [] }
}

/** Icon fonts bring 600 kB of formats for browsers that cannot run the rest; only woff2 stays. */
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
