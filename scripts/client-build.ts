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
export const dist = resolve(process.env['CLIENT_DIR'] ?? join(import.meta.dirname, '..', 'dist'))
const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)

/**
 * The nonce is fixed per build, not per response: the worker replays the stored page and its header together, so a
 * fresh one could not match (H-01). It lets PrimeReact's own <style> elements through and nothing else.
 */
export function stamp(build: string, sources: string): Plugin {
  const styleNonce = randomBytes(16).toString('base64')
  let failed = false
  return {
    name: 'portal-stamp',
    buildEnd(error) {
      failed = error !== undefined
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
        if (failed || this.meta.watchMode) return
        writeFileSync(join(dist, 'build.json'), `${JSON.stringify({ build, sources, styleNonce })}\n`)
      },
    },
  }
}

/**
 * The first script only sends for others, so it runs as soon as it is here (`async`), whatever else is still being read
 * in. What it needs in any case, its libraries above all, the page itself names, so that they do not wait for it.
 */
export const namedAhead: Plugin = {
  name: 'portal-named-ahead',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === 'chunk')
      const start = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/src/app/start.tsx')))
      const entry = chunks.find(({ isEntry }) => isEntry)
      if (!start || !entry) throw new Error('the build has no chunk with src/app/start.tsx')
      const files = new Set([...entry.imports, start.fileName, ...start.imports])
      files.delete(entry.fileName)
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
export const squeezed: Plugin = {
  name: 'portal-squeezed',
  apply: 'build',
  closeBundle: {
    order: 'post',
    sequential: true,
    async handler() {
      const names = await readdir(dist, { recursive: true })
      const texts = names
        .filter((name) => /\.(js|css|svg|html|webmanifest)$/.test(name))
        .map((name) => join(dist, name))
      // A build elsewhere is one for a test or a measurement, beside the site that stands.
      if (!process.env['CLIENT_DIR']) texts.push(...(await writeSite()))
      await Promise.all(texts.map(squeeze))
    },
  },
}

/** What is already here is read before the folder is emptied, and put back squeezed as it was. */
export function former(): Plugin {
  let files = new Map<string, Uint8Array>()
  return {
    name: 'portal-former',
    apply: 'build',
    async buildStart() {
      files = await readFormer(dist)
    },
    closeBundle: { order: 'post', sequential: true, handler: () => keepFormer(dist, files) },
  }
}

async function squeeze(file: string): Promise<void> {
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
export async function withDigests<E extends { url: string }>(manifest: E[]) {
  const digested = manifest.map(async (entry) => {
    const bytes = await readFile(join(dist, entry.url.replace(/^\/saas\//, '')))
    return { ...entry, integrity: `sha256-${createHash('sha256').update(bytes).digest('base64')}` }
  })
  return { manifest: await Promise.all(digested), warnings: [] }
}

/** Icon fonts bring 600 kB of formats for browsers that cannot run the rest; only woff2 stays. */
export const onlyWoff2: PostcssPlugin = {
  postcssPlugin: 'portal-only-woff2',
  AtRule: {
    'font-face': (rule) => {
      const woff2 = rule.toString().match(/url\([^)]*\.woff2[^)]*\)/)?.[0]
      if (!woff2) return
      rule.walkDecls('src', (source) => {
        const plain = `${woff2} format('woff2')`
        if (source.value === plain) return
        if (source.value.includes('.woff2')) source.value = plain
        else source.remove()
      })
    },
  },
}
