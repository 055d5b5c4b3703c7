/**
 * Builds the client into dist/: what is served under /saas/, and beside it build.json, which only the server reads.
 */
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import type { Plugin as PostcssPlugin } from 'postcss'
import { defineConfig, type Plugin } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { keepFormer, readFormer } from './scripts/former.mjs'
import { buildId, buildName } from './scripts/sources.mjs'

const root = import.meta.dirname
/** Where the client is built into; the server takes it from there by the same name. */
const dist = resolve(process.env['CLIENT_DIR'] ?? join(root, 'dist'))
const brotli = promisify(brotliCompress)
const gzip = promisify(gzipCompress)
const server = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`

/** Features that only the provider's staff open: their code is fetched when asked for, never precached. */
const staffFeatures = ['apps', 'modules', 'prices', 'services']

/**
 * The nonce is fixed per build, not per response: the worker replays the stored page and its header together, so a
 * fresh one could not match (H-01). It lets PrimeReact's own <style> elements through and nothing else.
 */
function stamp(build: string, sources: string): Plugin {
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
        writeFileSync(join(dist, 'build.json'), `${JSON.stringify({ build, sources, styleNonce })}\n`)
      },
    },
  }
}

/**
 * The first script only sends for others, so it runs as soon as it is here (`async`), whatever else is still being read
 * in. What it needs in any case, its libraries above all, the page itself names, so that they do not wait for it.
 */
const namedAhead: Plugin = {
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

/** Squeezed once and as far as it goes, not for each visitor anew (server/http/pages). */
const squeezed: Plugin = {
  name: 'portal-squeezed',
  apply: 'build',
  closeBundle: {
    order: 'post',
    sequential: true,
    async handler() {
      const names = await readdir(dist, { recursive: true })
      const texts = names.filter((name) => /\.(js|css|svg|html|webmanifest)$/.test(name))
      await Promise.all(texts.map((name) => squeeze(join(dist, name))))
    },
  },
}

/** What is already here is read before the folder is emptied, and put back squeezed as it was. */
function former(): Plugin {
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
async function withDigests<E extends { url: string }>(manifest: E[]) {
  const digested = manifest.map(async (entry) => {
    const bytes = await readFile(join(dist, entry.url.replace(/^\/saas\//, '')))
    return { ...entry, integrity: `sha256-${createHash('sha256').update(bytes).digest('base64')}` }
  })
  return { manifest: await Promise.all(digested), warnings: [] }
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
const withoutProse = (): Plugin => ({
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
})

/**
 * Vite's helper around each `import()` brings style sheets and names of files to preload; here there is one sheet and no
 * such list. What remains is that the page hears of code that could not be fetched (src/app/worker.ts).
 */
const shortImports: Plugin = {
  name: 'portal-short-imports',
  apply: 'build',
  enforce: 'pre',
  load: {
    filter: { id: /vite\/preload-helper/ },
    handler: () => `export const __vitePreload = (load) =>
      load().catch((payload) => {
        const event = Object.assign(new Event('vite:preloadError', { cancelable: true }), { payload })
        dispatchEvent(event)
        if (!event.defaultPrevented) throw payload
      })`,
  },
}

/**
 * The router is one file whose unused parts stay, because they bear names for developers, are made by calls that are not
 * marked as free of effect, or stand in a `Link` for frameworks only (it would fetch pages ahead by their `prefetch`).
 * 3 kB on the way to the login form; a version that is written otherwise fails the budget and nothing else.
 */
const usedRouter: Plugin = {
  name: 'portal-used-router',
  apply: 'build',
  enforce: 'pre',
  transform: {
    filter: { id: /react-router\/dist\/production\/chunk-\w+\.mjs$/ },
    handler: (code) => ({
      code: code
        .replaceAll(/^\w+\.displayName = "[^"]*";$/gm, '')
        .replaceAll(/^var \w+ = (?=React\d*\.(?:createContext|forwardRef|memo)\()/gm, '$&/* @__PURE__ */ ')
        .replaceAll(/^(var \w+ = )(class extends React\d*\.Component {.*?^});$/gms, '$1/* @__PURE__ */ (() => $2)();')
        .replaceAll(/(?:\/\* @__PURE__ \*\/ )?React\d*\.createElement\(PrefetchPageLinks, { page: href }\)/g, 'null'),
      map: null,
    }),
  },
}

const reactRouter = join(root, 'node_modules', 'react-router', 'dist', 'production')

/**
 * The same libraries with less in them: Dexie's build for browsers of today, no immer, which nothing here needs, of zod
 * only the descriptions, because the client checks nothing with its schemas, and the router without its warnings for
 * developers (its package names that build for nobody; both entries, or there would be two routers). A dialog that
 * neither ripples nor is resized needs neither.
 */
const lighter = [
  { find: /^react-router$/, replacement: join(reactRouter, 'index.mjs') },
  { find: /^react-router\/dom$/, replacement: join(reactRouter, 'dom-export.mjs') },
  { find: 'zod/mini', replacement: join(root, 'src', 'contract', 'shapes.ts') },
  { find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' },
  {
    find: /^primereact\/(ripple|icons\/window(maximize|minimize))$/,
    replacement: join(root, 'src', 'ui', 'prime', 'nothing.ts'),
  },
  { find: /^immer$/, replacement: join(root, 'src', 'state', 'plain-immer.ts') },
]

/**
 * What is needed together comes together: the libraries, which change seldom; the frame; what is fetched beside every
 * page (the device's database, the calls, the corridor's end in the page); the pages by what they share. Left to itself
 * the bundler makes a hundred files, each a request with a kB of headers (L6), and they pack worse.
 */
const together = [
  // Named first, because a group takes along what its modules import: the first script must not bring the libraries.
  {
    name: 'first',
    test: /src\/app\/(ahead|idle|inside-code|language|paths|remember|texts|trusted-types)\.ts|src\/(contract\/(headers|problem)|domain\/(access|checks))\.ts|vite\/preload-helper|rolldown\/runtime/,
    priority: 2,
  },
  {
    name: 'libraries',
    test: /node_modules\/(i18next|react|react-dom|react-router|react-router-dom|react-redux|@reduxjs|redux|redux-thunk|immer|reselect|scheduler|use-sync-external-store|cookie|set-cookie-parser)\//,
  },
  {
    name: 'frame',
    test: /src\/(state\/(connection|hooks|session|status|store)|ui\/(Button|Field|Icon|strokes|Mark|Page|Skeleton|texts|words)|app\/(Broken|early|guard|i18n|line|Loading|page|routes|start|theme)|app\/shell\/(Entry|Footer|Language|ThemeSwitch))\.tsx?$/,
  },
  // Who is there and what is kept for them: Dexie and no other library, so that it need not wait for any.
  {
    name: 'device',
    test: /node_modules\/dexie\/|src\/(local\/(database|device|lists|overlay|query|readings|session|view|waiting)\.ts|contract\/(accounts|cookies|endpoint|shapes|users|values|wire)|app\/who|request\/subject|state\/ahead|features\/users\/(address|list)\.ts)/,
    priority: 1,
  },
  {
    name: 'corridor',
    test: /node_modules\/dexie-react-hooks\/|src\/(app\/(corridor|install|session|send)|request\/(call|locks|browser)|state\/live)\.ts/,
  },
  // What a page needs to ask by itself, while no worker does.
  { name: 'reads', test: /src\/(request\/(reads|lists|bearer|line)|local\/(buckets|holdings|rows|windows))\.ts/ },
  // What a write takes, from its record to its answer: asked for with the first one.
  {
    name: 'writes',
    test: /src\/(local\/(outbox|drafts|decisions|lanes|around|folding|receipts|loss|names|kept|files|jobs|activity)|request\/(record|drain|settle|merge|withdraw|batch|writing|relay|probe))\.ts/,
  },
  // The whole table of calls, and the corridor that walks any of them.
  {
    name: 'calls',
    test: /src\/(contract\/(index|apps|backups|modules|orders|payments|prices|services|visitors|trail)|request\/(pipeline|upload))\.ts/,
  },
  {
    name: 'parts',
    test: /src\/ui\/(DataList|FilterBar|Pages|Menu|toasts|Choice|Freshness|PendingMark|Tag|icons|ProblemNote|Dialog|EmptyState|CopyText)/,
    minShareCount: 2,
  },
  {
    name: 'shell',
    test: /src\/app\/(inside\.tsx|shell\/(AvatarMenu|ConnectionState|Drawer|Navigation|Shell|ThemeMenu|initials|menu))/,
  },
  // How much the device keeps: looked at now and then.
  { name: 'keeping', test: /src\/local\/(many|room|whole)\.ts/ },
  { name: 'worker', test: /node_modules\/workbox-|src\/app\/(missing|typing|update|word|worker)\.ts/ },
  {
    name: 'bars',
    test: /src\/app\/(jobs|progress|shell\/(ActivityButton|Lapsed|LossBar|NewBuild|UpdateBar))\.tsx?$/,
  },
  // Pages by whom they serve.
  { name: 'accounts', test: /src\/features\/accounts\/(slice|waits|return-to|components\/(AccountCard|Note))/ },
  { name: 'visits', test: /src\/features\/accounts\/(pages\/(Activate|Forget|ResetPwd|Signup)|components\/Prepared)/ },
  { name: 'users', test: /src\/features\/users\/(pages\/Users|slice)\.tsx?$/ },
  {
    name: 'forms',
    test: /node_modules\/react-hook-form\/|src\/(ui\/FormDrawer|features\/(users|outbox)\/(components\/(\w*User\w*|Conflict|MendForm)|form|opened))\.tsx?$/,
  },
  {
    name: 'desk',
    test: /src\/(app\/outbox|features\/(activity|device|outbox)\/|request\/(compare|desk)|ui\/ProgressBar)/,
  },
  { name: 'plain', test: /src\/(ui\/PlainPage|features\/(company|entrance|orders|profile|trail)\/)/ },
  ...['en', 'zh'].flatMap((language) => [
    { name: `words-${language}`, test: texts(language, 'shell|ui|home|users') },
    { name: `answers-${language}`, test: texts(language, 'problem|fields|accounts') },
    { name: `others-${language}`, test: texts(language, '\\w+') },
  ]),
]

/** Of a language what every page shows, what comes back from an asking, and the rest: three files of each. */
function texts(language: string, nouns: string): RegExp {
  return new RegExp(`src/locales/${language}/(${nouns})\\.json`)
}

const isStaff = (module: string | null) =>
  module !== null && staffFeatures.some((feature) => module.includes(`/src/features/${feature}/`))

export default defineConfig(({ command }) => {
  const sources = buildId(root)
  const build = command === 'build' ? buildName(sources) : 'dev'
  return {
    base: '/saas/',
    define: { __BUILD__: JSON.stringify(build) },
    plugins: [
      react(),
      withoutProse(),
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
          buildPlugins: { vite: [withoutProse()] },
          globPatterns: ['**/*.{js,css,html,svg,png,woff2,webmanifest}'],
          // A captive portal's page is no file of ours: what is stored is what was built (W-04).
          manifestTransforms: [withDigests],
          // The system fetches an installed app's icons by itself, and no page ever shows them.
          globIgnores: ['icons/*.png', 'assets/staff-*', 'screenshots/**', 'icons/src/**', 'sw.js'],
        },
      }),
      shortImports,
      usedRouter,
      namedAhead,
      squeezed,
      former(),
      stamp(build, sources),
    ],
    resolve: { alias: lighter },
    css: { postcss: { plugins: [onlyWoff2] } },
    build: {
      target: 'es2023',
      outDir: dist,
      emptyOutDir: true,
      sourcemap: false,
      manifest: 'build-map.json',
      // One sheet: a page's own would be one more file that its code has to wait for.
      cssCodeSplit: false,
      // Inlined images would need `data:` in more places of the CSP than img-src.
      assetsInlineLimit: 0,
      // What a page needs is sent for by the first script at once (src/app/ahead.ts), not named at each import again.
      modulePreload: false,
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
