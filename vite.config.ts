/**
 * Builds the client into dist/: what is served under /saas/, and beside it build.json, which only the server reads.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin as PostcssPlugin } from 'postcss'
import { defineConfig, type Plugin } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { buildId } from './scripts/sources.mjs'

const root = import.meta.dirname
const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)
const server = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`

/** Features that only the provider's staff open: their code is fetched when asked for, never precached. */
const staffFeatures = ['apps', 'modules', 'prices', 'services']

/**
 * The nonce is fixed per build, not per response: the worker replays the stored page and its header together, so a
 * fresh one could not match (H-01). It lets PrimeReact's own <style> elements through and nothing else.
 */
function stamp(build: string): Plugin {
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
        html.replace(/(<meta name="style-nonce" content=")[^"]*(")/, (_all, open, close) => open + styleNonce + close),
    },
    closeBundle: {
      // Last of all: a dist/ without build.json is a build that was cut off, and is made again.
      order: 'post',
      sequential: true,
      handler() {
        if (failed || this.meta.watchMode) return
        writeFileSync(join(root, 'dist', 'build.json'), `${JSON.stringify({ build, styleNonce })}\n`)
      },
    },
  }
}

/**
 * The first script only sends for others. What it needs in any case, its libraries above all, the page itself names, so
 * that they do not wait for it.
 */
const namedAhead: Plugin = {
  name: 'portal-named-ahead',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle }) {
      const chunks = Object.values(bundle ?? {}).filter((one) => one.type === 'chunk')
      const start = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('/src/app/start.tsx')))
      const entry = chunks.find(({ isEntry }) => isEntry)
      if (!start || !entry) throw new Error('the build has no chunk with src/app/start.tsx')
      const files = new Set(
        [start.fileName, ...start.imports].filter((file) => file !== entry.fileName && !entry.imports.includes(file)),
      )
      return [...files].map((file) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/saas/${file}` },
        injectTo: 'head' as const,
      }))
    },
  },
}

/** Squeezed once and as far as it goes, not for each visitor anew (server/http/pages). */
const squeezed: Plugin = {
  name: 'portal-squeezed',
  apply: 'build',
  closeBundle: {
    order: 'post',
    sequential: true,
    async handler() {
      const dist = join(root, 'dist')
      const names = await readdir(dist, { recursive: true })
      const texts = names.filter((name) => /\.(js|css|svg|html|webmanifest)$/.test(name))
      await Promise.all(texts.map((name) => squeeze(join(dist, name))))
    },
  },
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

/** Icon fonts bring 600 kB of formats for browsers that cannot run the rest; only woff2 stays. */
const onlyWoff2: PostcssPlugin = {
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

/** Summaries and matrix numbers are for the server's documents and the tests; the client carries none of that prose. */
const withoutProse: Plugin = {
  name: 'portal-without-prose',
  apply: 'build',
  enforce: 'pre',
  transform: {
    filter: { id: /\/src\/contract\/\w+\.ts$/ },
    handler: (code) => ({
      code: code.replaceAll(/^ {2}(?:summary|matrix):\s+(?:'[^'\n]*'|"[^"\n]*"),$/gm, ''),
      map: null,
    }),
  },
}

const reactRouter = join(root, 'node_modules', 'react-router', 'dist', 'production')

/**
 * The same libraries with less in them: Dexie's build for browsers of today, no immer, which nothing here needs, of zod
 * only the descriptions, because the client checks nothing with its schemas, and the router without its warnings for
 * developers (its package names that build for nobody; both entries, or there would be two routers).
 */
const lighter = [
  { find: /^react-router$/, replacement: join(reactRouter, 'index.mjs') },
  { find: /^react-router\/dom$/, replacement: join(reactRouter, 'dom-export.mjs') },
  { find: 'zod/mini', replacement: join(root, 'src', 'contract', 'shapes.ts') },
  { find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' },
  { find: /^immer$/, replacement: join(root, 'src', 'state', 'plain-immer.ts') },
]

/**
 * What is always needed together comes together: the libraries, which change seldom; the frame; what is fetched beside
 * every page (the device's database, the calls, the corridor's end in the page); the parts of the pages inside. Left to
 * itself the bundler makes three dozen small files of them, each a request, and they pack worse.
 */
const together = [
  // Named first, because a group takes along what its modules import: the first script must not bring the libraries.
  {
    name: 'first',
    test: /src\/app\/(ahead|idle|language|paths|remember|texts|trusted-types)\.ts|vite\/preload-helper|rolldown\/runtime/,
    priority: 1,
  },
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|react-router|react-router-dom|react-redux|@reduxjs|redux|redux-thunk|immer|reselect|scheduler|use-sync-external-store|i18next|react-i18next|cookie|set-cookie-parser)\//,
  },
  {
    name: 'frame',
    test: /src\/(state\/(connection|hooks|session|status|store)|ui\/(Button|Field|Icon|strokes|Mark|Page|Skeleton|words)|domain\/(access|checks)|contract\/problem|app\/(Broken|guard|i18n|line|Loading|page|routes|start|theme)|app\/shell\/(Entry|Footer|Language|ThemeSwitch))\.tsx?$/,
  },
  {
    name: 'device',
    test: /node_modules\/dexie|src\/(local\/(?!outbox|jobs|activity|rows|drafts|decisions|lanes|seal|leave)|contract\/(accounts|cookies|endpoint|headers|problem|shapes|users|values|wire)|app\/(corridor|install|session|send)|request\/(call|locks|subject|browser))/,
  },
  // What a page needs to ask by itself, while no worker does.
  { name: 'reads', test: /src\/(request\/(reads|lists|bearer|line)|local\/rows)\.ts/ },
  // Of each language what every page shows.
  { name: 'words-en', test: /src\/locales\/en\/(shell|ui|problem|fields)\.json/ },
  { name: 'words-zh', test: /src\/locales\/zh\/(shell|ui|problem|fields)\.json/ },
  { name: 'accounts', test: /src\/features\/accounts\/(slice|waits|return-to|components\/(AccountCard|Note))/ },
  {
    name: 'parts',
    test: /src\/ui\/(DataList|FilterBar|Pages|Menu|toasts|Choice|Freshness|PendingMark|Tag|icons|ProblemNote|Dialog)|state\/live/,
    minShareCount: 2,
  },
]

/** On their way by the time anything is asked for: not to be named beside each import again. */
const isThere = /assets\/(libraries|frame|first|rolldown-runtime|device)-/

const isStaff = (module: string | null) =>
  module !== null && staffFeatures.some((feature) => module.includes(`/src/features/${feature}/`))

export default defineConfig(({ command }) => {
  const build = command === 'build' ? buildId(root) : 'dev'
  return {
    base: '/saas/',
    define: { __BUILD__: JSON.stringify(build) },
    plugins: [
      react(),
      withoutProse,
      VitePWA({
        strategies: 'injectManifest',
        srcDir: 'src/sw',
        filename: 'sw.ts',
        manifest: false,
        injectRegister: false,
        injectManifest: {
          rollupFormat: 'iife',
          target: 'es2023',
          sourcemap: false,
          globPatterns: ['**/*.{js,css,html,svg,png,woff2,webmanifest}'],
          // The system fetches an installed app's large icons by itself, and no page ever shows them.
          globIgnores: [
            'icons/*-512.png',
            'icons/shortcut-*',
            'assets/staff-*',
            'screenshots/**',
            'icons/src/**',
            'sw.js',
          ],
        },
      }),
      namedAhead,
      squeezed,
      stamp(build),
    ],
    resolve: { alias: lighter },
    css: { postcss: { plugins: [onlyWoff2] } },
    build: {
      target: 'es2023',
      outDir: 'dist',
      sourcemap: false,
      manifest: 'build-map.json',
      // Inlined images would need `data:` in more places of the CSP than img-src.
      assetsInlineLimit: 0,
      modulePreload: {
        polyfill: false,
        resolveDependencies: (_file, files, { hostType }) =>
          hostType === 'html' ? files : files.filter((file) => !isThere.test(file)),
      },
      reportCompressedSize: false,
      rollupOptions: {
        // Pages ask lazily for what the grouping above brings along anyway; that is meant.
        checks: { ineffectiveDynamicImport: false, pluginTimings: false },
        output: {
          codeSplitting: { groups: together },
          chunkFileNames: (chunk) => `assets/${isStaff(chunk.facadeModuleId) ? 'staff-' : ''}[name]-[hash].js`,
        },
      },
    },
    server: {
      host: '127.0.0.1',
      port: 5173,
      proxy: {
        '/api': { target: server, ws: true },
        '/public': server,
        '/health': server,
      },
    },
  }
})
