/** Builds the client into dist/: the files served under /saas/, and build.json, which only the server reads. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import {
  distFolder,
  createMapPlugin,
  preloadPlugin,
  onlyWoff2,
  compressPlugin,
  createStampPlugin,
  addDigests,
} from './scripts/client-build.ts'
import { chunkSplitting } from './scripts/chunk-plugin.ts'
import { buildId, buildName } from './scripts/build-id.mjs'

const root = import.meta.dirname
const server = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`

/**
 * Replacements that make the bundle smaller: Dexie's build for modern browsers, and a stub for effects and icons that the portal's dialogs
 * do not use.
 */
const lighterModules = [
  { find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' },
  {
    find: /^primereact\/(ripple|icons\/window(maximize|minimize))$/,
    replacement: join(root, 'src', 'ui', 'prime', 'ripple-stub.ts'),
  },
]

/** Namespaces whose texts the first pages need. For each language one file contains these texts and a second file all others. */
const earlyNouns = ['shell', 'ui', 'users', 'home', 'accounts', 'problem', 'fields']
const chunks = chunkSplitting(root, earlyNouns)
const mapFile = 'build-map.json'

export default defineConfig(({ command }) => {
  // The environment of the caller must not change the build.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  const sources = buildId(root)
  const build = command === 'build' ? buildName(root, sources) : 'dev'
  return {
    base: '/saas/',
    envDir: false,
    define: { __BUILD__: JSON.stringify(build) },
    plugins: [
      chunks.plugin,
      react(),
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
          globPatterns: ['**/*.{js,css,html,svg,png,woff2}'],
          // With digests, the worker stores only files of this build, and not for example the page of a captive portal (W-04).
          manifestTransforms: [addDigests, chunks.addParts],
          // The operating system fetches the icons of an installed app itself, and no page shows them.
          globIgnores: ['icons/{*.png,mark.svg}', 'screenshots/**', 'icons/src/**', 'sw.js'],
        },
      }),
      createMapPlugin(root, mapFile),
      preloadPlugin,
      compressPlugin,
      createStampPlugin(build, sources),
    ],
    resolve: { alias: lighterModules },
    css: { postcss: { plugins: [onlyWoff2] } },
    build: {
      target: 'es2023',
      outDir: distFolder,
      emptyOutDir: true,
      sourcemap: false,
      manifest: mapFile,
      // Builds one style sheet. With one per page, the code of a page would have to wait for another file.
      cssCodeSplit: false,
      // Inlined images would need `data:` in more directives of the CSP than img-src.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false, resolveDependencies: chunks.filesToPreload },
      reportCompressedSize: false,
      rollupOptions: {
        // Some modules are imported lazily, although `codeSplitting` has put them into a file that is loaded anyway. This is intended, so
        // it causes no warning.
        checks: { ineffectiveDynamicImport: false, pluginTimings: false },
        output: {
          codeSplitting: chunks.codeSplitting,
          assetFileNames: chunks.assetFileNames,
          chunkFileNames: 'assets/[name]-[hash].js',
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
        '/dev/mail': server,
      },
    },
  }
})
