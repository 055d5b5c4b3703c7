/**
 * Builds the client into dist/: what is served under /saas/, and beside it build.json, which only the server reads.
 */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { dist, former, namedAhead, onlyWoff2, squeezed, stamp, withDigests } from './scripts/client-build.ts'
import { buildId, buildName } from './scripts/build-id.mjs'

const root = import.meta.dirname
const server = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`

/** Pages whose code only some devices keep (src/sw/optional-chunks.ts), by the beginning of its file's name. */
const parts = {
  staff:
    /src\/(features\/(apps|modules|prices)\/|app\/(shell\/ClientTypeSelect|pages\/(PriceListPage|FeeTree|TrailCompany)))/,
  // All of the staff read the audit trail too, so the library of charts is theirs with it.
  trail: /src\/(features\/audit-trail\/|app\/pages\/AuditTrailPage)|node_modules\/chart\.js\//,
}

const prefixOf = (page: string | null) =>
  Object.entries(parts)
    .map(([name, pages]) => (page !== null && pages.test(page) ? `${name}-` : ''))
    .join('')

/** Dexie's build for browsers of today; a dialog that neither ripples nor is resized needs neither. */
const lighter = [
  { find: /^dexie$/, replacement: 'dexie/dist/modern/dexie.mjs' },
  {
    find: /^primereact\/(ripple|icons\/window(maximize|minimize))$/,
    replacement: join(root, 'src', 'ui', 'prime', 'nothing.ts'),
  },
]

/** The texts of a language that the first pages show are one file, the others a second. */
const earlyTexts = /src\/locales\/\w+\/(shell|ui|users|home|accounts|problem|fields)\.json$/

/**
 * What is needed together is one file. A group takes along what its modules import, unless a group before it has that
 * already; what is in none is split by the bundler.
 */
const together = [
  // The first script: it only sends for the others, so it must not wait for a library.
  {
    name: 'first',
    test: /src\/app\/(trusted-types|routes\/(prefetch|page-modules|page-module)|pwa\/worker-recovery)\.ts|vite\/preload-helper|rolldown\/runtime/,
  },
  // They change seldom.
  {
    name: 'libraries',
    test: /node_modules\/(i18next|react-i18next|react|react-dom|react-router|react-router-dom|react-redux|@reduxjs|scheduler)\//,
  },
  { name: 'frame', test: /src\/(app\/start|features\/accounts\/pages\/Login)\.tsx/ },
  // Who is signed in, the device's database, and how the page reads.
  {
    name: 'device',
    test: /src\/(app\/connection\/(current-user|session-sync|network-bundle)|request\/reads\/read)\.ts/,
  },
  // Of orders and of the catalogue, and in no page of everybody.
  { name: 'parts-field-words', test: /src\/(ui\/i18n\/order-field-messages\.ts|locales\/\w+\/order-fields\.json)/ },
  {
    name: 'inside',
    test: /src\/(app\/(routes\/app-routes|pages\/UsersPage|shell\/AppLayout)\.tsx|ui\/(form|list|overlay|page|display|navigation-guard|i18n|icons)\/(?!home-report|price-field-messages|Date(Field|Range)|date-words|WebAddress|FilterSheet|Combobox|TypedConfirmation|confirm-code|Password|PageForm|ErrorSummary|FormDrawer|ConflictNote)[\w-]+\.tsx?$)/,
  },
  // No list waits for what forms alone are made of (P-28).
  {
    name: 'forms',
    test: /src\/(ui\/(list\/FilterSheet|form\/(Combobox|TypedConfirmation|confirm-code|PasswordMeter|PageForm|ErrorSummary|FormDrawer|ConflictNote))|features\/accounts\/components\/LeftBehind|domain\/accounts\/password)/,
  },
  { name: 'home', test: /src\/(app\/pages\/HomePage|features\/home\/|ui\/page\/home-report)/ },
  // What a write takes, and what comes when the first page has come to rest.
  {
    name: 'later',
    test: /src\/(request(?!\/(audit-trail|preparation|reads\/kept-trail))|local(?!\/(audit-trail\/(kept-(store|index|tiles|search)|read-kept)|storage\/forget-lost-rights|outbox\/row-names))|contract|state(?!\/(use-)?long-request))\/|src\/app\/(connection\/(job-timer|kept-trails|SpaceProbe)|pwa\/(service-worker|chunk-load-error)|shell\/(?!ClientTypeSelect)[\w/-]+)\.tsx?$/,
  },
  // All that is drawn by PrimeReact: one file is 7 kB less than one for each part (docs/decisions/0045).
  { name: 'prime', test: /src\/ui\/prime\// },
  {
    name: 'pages',
    test: /src\/(app\/pages\/(NotFound|OutboxPage|SignupPage|ActivityPage|DevicePage|TaskOfService)|features\/((activity|company|device(?!\/prepare)|entrance|outbox|profile)\/|(accounts|sessions)\/pages\/(Logout|Security|Sessions|Activate|Forget|ResetPwd)|accounts\/components\/(NewPassword|useSmallForm)))/,
  },
  // What several of the parts below have in common, and no page of everybody has.
  {
    name: 'parts-common',
    test: /src\/(domain\/csv|local\/outbox\/row-names|state\/(use-)?long-request|ui\/(links\/|form\/(Date(Field|Range)|date-words)|display\/WebAddress)|locales\/\w+\/dates\.json)/,
  },
  // Of whoever prepares a device to work offline: kept with every part, as these people have one.
  {
    name: 'parts-prepare',
    test: /src\/(features\/device\/prepare\/|app\/(connection\/preparation|pages\/PrepareParts)|request\/preparation\/(?!prepare-trail)|locales\/\w+\/prepare\.json)/,
  },
  // What admins do with users; the list's own page is in a file above.
  { name: 'users', test: /src\/features\/users\/(?!EndSessions|end-sessions)/ },
  // As the parts above, with its texts: no file that every device keeps may import it.
  {
    name: 'orders',
    test: /src\/(features\/orders\/|app\/pages\/ContractPage|locales\/\w+\/(orders|wizard|contract|payment|calendar)\.json)/,
  },
  // Of who orders, and of the provider's staff, whose devices keep all of these parts.
  {
    name: 'orders-services',
    test: /src\/(features\/services\/|app\/pages\/(Service(sPage|Page|Company|Events))|locales\/\w+\/services\.json)/,
  },
  // As the services: of the tab of a contract, the page of a service, and what home says of either.
  {
    name: 'orders-backups',
    test: /src\/(features\/backups\/|app\/pages\/ContractBackups|locales\/\w+\/backups\.json)/,
  },
  // Of who reads the audit trail, and so of the staff: the pages of waiting changes ask for them where they need them.
  { name: 'trail-price-words', test: /src\/(ui\/i18n\/price-field-messages\.ts|locales\/\w+\/price-fields\.json)/ },
  // Of those who may read the audit trail.
  {
    name: 'trail',
    test: /src\/(features\/audit-trail\/(?!list\/ActivityChart|offline\/)|app\/(pages\/AuditTrailPage|connection\/download)|locales\/\w+\/audit\.json)/,
  },
  // What an audit trail takes that is kept on a device and proven there: signatures, the dialog.
  {
    name: 'trail-device',
    test: /src\/(features\/audit-trail\/offline\/|app\/connection\/audit-trail|request\/(audit-trail\/|reads\/kept-trail)|local\/audit-trail\/(kept-(store|index|tiles|search)|read-kept)|domain\/audit-log\/(?!leaf\.|columns)|locales\/\w+\/auditKept\.json)|node_modules\/(@noble\/(curves|hashes(?!\/legacy))|canonicalize)\//,
  },
  // Of both of them.
  { name: 'trail-prepare', test: /src\/request\/preparation\/prepare-trail/ },
  // Of the provider's staff alone; what opens and sends packages is as large as all the rest and comes when it is asked for.
  {
    name: 'staff-packages',
    test: /src\/(features\/apps\/upload\/read-file|app\/connection\/(tus-upload|begun-uploads))|node_modules\/(@zip\.js|@noble|tus-js-client)\//,
  },
  { name: 'staff-apps', test: /src\/(features\/apps\/|app\/connection\/packages|locales\/\w+\/apps\.json)/ },
  // Of whoever looks after payments, who are of the staff; applying and refunding need a connection anyway.
  { name: 'staff-payment-tasks', test: /src\/features\/payment-tasks\// },
  { name: 'staff-modules', test: /src\/(features\/modules\/(?!graph\/)|locales\/\w+\/modules\.json)/ },
  {
    name: 'staff-prices',
    test: /src\/(features\/prices\/|app\/pages\/PriceListPage|locales\/\w+\/prices\.json)|node_modules\/@dnd-kit\//,
  },
  // Of no use without a connection, so no device keeps it.
  {
    name: 'online',
    test: /src\/(app\/(connection\/StepUpDialog|pages\/(UserSidePanels|HomeAccount))|features\/(accounts\/(home\/|components\/(SecondStep|Enrol|Factors|FactorDialog))|sessions\/(home|components)\/))/,
  },
  // Run when the server has just said that a right was lost.
  { name: 'online-rights', test: /src\/local\/storage\/forget-lost-rights/ },
  {
    name: (id: string) => `${earlyTexts.test(id) ? 'words' : 'more-words'}-${/locales\/(\w+)/.exec(id)?.[1]}`,
    test: /src\/locales\/\w+\/[\w-]+\.json$/,
  },
].map((group, at, all) => ({ ...group, priority: all.length - at }))

export default defineConfig(({ command }) => {
  const sources = buildId(root)
  const build = command === 'build' ? buildName(sources) : 'dev'
  return {
    base: '/saas/',
    define: { __BUILD__: JSON.stringify(build) },
    plugins: [
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
          // A captive portal's page is no file of ours: what is stored is what was built (W-04).
          manifestTransforms: [withDigests],
          // The system fetches an installed app's icons by itself, and no page ever shows them.
          // Provinces and cities are suggestions: without a line they are typed.
          // Where one is logged in only the server knows.
          globIgnores: [
            'icons/{*.png,mark.svg}',
            'screenshots/**',
            'icons/src/**',
            'sw.js',
            'assets/{city,province}.min-*',
            'assets/hongkong-*',
            'assets/online-*',
          ],
        },
      }),
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
      // What a page needs is sent for by the first script at once (src/app/routes/prefetch.ts), not named at each import again.
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: {
        // Pages ask lazily for what the grouping above brings along anyway; that is meant.
        checks: { ineffectiveDynamicImport: false, pluginTimings: false },
        output: {
          codeSplitting: { groups: together },
          // What only the pages of orders or of the catalogue look like stands beside their code (src/features/orders/OrderStyles.tsx).
          assetFileNames: ({ originalFileNames: [from = ''] }) =>
            `assets/${/features\/(orders|services|backups)\//.test(from) ? 'orders-' : from.includes('features/audit-trail/') ? 'trail-' : /features\/(apps|modules|prices)\//.test(from) ? 'staff-' : ''}[name]-[hash][extname]`,
          chunkFileNames: (chunk) => `assets/${prefixOf(chunk.facadeModuleId)}[name]-[hash].js`,
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
