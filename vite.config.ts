/**
 * Builds the client into dist/: what is served under /saas/, and beside it build.json, which only the server reads.
 */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Plugin as PostcssPlugin } from 'postcss'
import { defineConfig, type Plugin } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { buildId } from './scripts/sources.mjs'

const root = import.meta.dirname
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
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|react-router|react-router-dom|react-redux|@reduxjs|redux|redux-thunk|immer|reselect|scheduler|use-sync-external-store|i18next|react-i18next|cookie|set-cookie-parser)\//,
  },
  {
    name: 'frame',
    test: /src\/(state\/(connection|hooks|session|status|store)|ui\/(Button|Field|Icon|strokes|Mark|Page|Skeleton|words)|domain\/(access|checks)|contract\/problem|app\/(Broken|guard|i18n|language|line|Loading|page|paths|remember|theme)|app\/shell\/(Entry|Footer|Language|ThemeSwitch))\.tsx?$/,
  },
  {
    name: 'device',
    test: /node_modules\/dexie|src\/(local\/(?!outbox|jobs|activity|rows|drafts|decisions|lanes|seal|leave)|contract\/(accounts|cookies|endpoint|headers|problem|shapes|users|values|verdict|wire)|app\/(corridor|session|send|worker)|request\/(call|line|locks|subject|browser))/,
  },
  {
    name: 'parts',
    test: /src\/ui\/(DataList|FilterBar|Pages|Menu|toasts|Choice|Freshness|PendingMark|Tag|icons|ProblemNote|Dialog)|state\/live/,
    minShareCount: 2,
  },
]

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
      modulePreload: { polyfill: false },
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
