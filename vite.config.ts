/**
 * Builds the client into dist/: what is served under /saas/, and beside it build.json, which only the server reads.
 */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import {
  dist,
  former,
  namedAhead,
  onlyWoff2,
  shortImports,
  squeezed,
  stamp,
  usedRouter,
  withDigests,
  withoutChecks,
  withoutProse,
} from './scripts/client-build.ts'
import { buildId, buildName } from './scripts/sources.mjs'

const root = import.meta.dirname
const server = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`

/** What only the provider's staff meet: its code is kept by the workers of their devices alone. */
const staffsOnly = [
  ...['apps', 'modules', 'prices', 'services'].map((name) => `features/${name}/`),
  'app/shell/ClientType',
]

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
    test: /src\/app\/(ahead|idle|inside-code|language|load-once|lost-worker|paths|remember|texts|trusted-types)\.ts|src\/(contract\/(headers|problem)|domain\/(access|checks))\.ts|vite\/preload-helper|rolldown\/runtime/,
    priority: 2,
  },
  {
    name: 'libraries',
    test: /node_modules\/(i18next|react|react-dom|react-router|react-router-dom|react-redux|@reduxjs|redux|redux-thunk|immer|reselect|scheduler|use-sync-external-store|cookie|set-cookie-parser)\//,
  },
  {
    name: 'frame',
    test: /src\/(state\/(connection|hooks|session|status|store)|ui\/(Button|Field|Icon|steps|strokes|Mark|Page|Skeleton|texts|words)|app\/(Broken|early|guard|i18n|line|Loading|page|routes|start|theme)|app\/shell\/(Entry|Footer|Language|SkipLink|ThemeSwitch))\.tsx?$/,
  },
  // Who is there and what is kept for them: Dexie and no other library, so that it need not wait for any.
  {
    name: 'device',
    test: /node_modules\/dexie\/|src\/(local\/(database|device|lists|overlay|query|readings|session|view|waiting)\.ts|contract\/(accounts|cookies|endpoint|shapes|users|values|wire)|app\/who|request\/subject|state\/ahead|features\/users\/(address|list)\.ts|state\/listing\.ts)/,
    priority: 1,
  },
  {
    name: 'corridor',
    test: /node_modules\/dexie-react-hooks\/|src\/(app\/(corridor|install|session|send)|request\/(call|locks|browser)|state\/live)\.ts/,
  },
  // What a page needs to ask by itself, while no worker does.
  { name: 'reads', test: /src\/(request\/(reads|lists|bearer|line)|local\/(blocks|buckets|holdings|rows))\.ts/ },
  // What a write takes, from its record to its answer: asked for with the first one.
  {
    name: 'writes',
    test: /src\/(local\/(outbox|drafts|decisions|lanes|around|folding|receipts|loss|names|kept|files|jobs|activity)|contract\/requests|request\/(record|drain|settle|merge|withdraw|batch|writing|relay|probe))\.ts/,
  },
  // The whole table of calls, and the corridor that walks any of them.
  {
    name: 'calls',
    test: /src\/(contract\/(index|apps|backups|calendars|modules|orders|payments|prices|services|sessions|visitors|trail)|request\/(pipeline|upload))\.ts/,
  },
  {
    name: 'parts',
    test: /src\/ui\/(DataList|FilterBar|Pages|Menu|toasts|Choice|Freshness|PendingMark|Tag|icons|ProblemNote|Dialog|EmptyState|CopyText|Select)/,
    minShareCount: 2,
  },
  {
    name: 'shell',
    test: /src\/app\/(inside\.tsx|shell\/(AvatarMenu|ConnectionState|Drawer|Navigation|Shell|ThemeMenu|menu))|src\/ui\/(Avatar|initials)\.tsx?/,
  },
  // How much the device keeps: looked at now and then.
  { name: 'keeping', test: /src\/local\/(copies|many|ranks|room|whole|windows)\.ts/ },
  {
    name: 'worker',
    test: /node_modules\/workbox-|src\/(app\/(drawn|keep-part|missing|typing|update|word|worker)|local\/noted)\.ts/,
  },
  {
    name: 'bars',
    test: /src\/app\/(jobs|progress|shell\/(ActivityButton|Lapsed|LossBar|NewBuild|OwnLanguage|OwnParts|UpdateBar))\.tsx?$/,
  },
  // Each a few lines, and asked for seldom.
  { name: 'about', test: /src\/app\/(versions\.ts|shell\/(About|InstallGuide)\.tsx)$/ },
  // Pages by whom they serve.
  { name: 'accounts', test: /src\/features\/accounts\/(slice|waits|return-to|components\/(AccountCard|Note|useWait))/ },
  {
    name: 'visits',
    test: /src\/(domain\/password(s|-strength)|features\/accounts\/(passwords|components\/(NewPassword|useTyped))|ui\/PasswordMeter)/,
  },
  // What a mail brings somebody to, and asking for it. Of no use without a line, so no device keeps it.
  {
    name: 'mailed',
    test: /src\/features\/accounts\/(activation|recovering|pages\/(Activate|Forget|ResetPwd)|components\/(SetPassword|useTakenKey))/,
  },
  // The form that the sign-up and the profile share: kept on the device, which the sign-up is not.
  {
    name: 'companies',
    test: /src\/(domain\/(companies|reserved)|features\/company\/(components\/Company(Fields|Form)|components\/Region|region))/,
  },
  {
    name: 'signup',
    test: /src\/(app\/signup|domain\/signup|features\/accounts\/(drafts|registering|pages\/Signup|components\/Register))/,
  },
  { name: 'users', test: /src\/(app\/users|state\/use-listing|features\/users\/(pages\/Users|slice))\.tsx?$/ },
  {
    name: 'several',
    test: /src\/(features\/users\/(exporting|many|picked|components\/(Picks|(Many|Export)Dialog))|domain\/csv|ui\/save-file)\.tsx?$/,
  },
  {
    name: 'forms',
    test: /node_modules\/react-hook-form\/|src\/(state\/sending|ui\/(FormDrawer|Leaving|PageForm|ConflictNote)|features\/(users|outbox)\/(components\/(\w*User\w*|Conflict|Invitation|MendForm)|form|opened|saving))\.tsx?$/,
  },
  {
    name: 'desk',
    test: /src\/(app\/outbox|features\/(activity|device|outbox)\/|request\/(compare|desk)|ui\/ProgressBar)/,
  },
  // In the table of calls as well, which every device keeps.
  { name: 'factor-calls', test: /src\/contract\/factors/ },
  // The second step of a sign-in, and what sets it up. Of no use without a line, so no device keeps them.
  {
    name: 'second-step',
    test: /src\/(app\/step-up|features\/accounts\/(factors|factor-words|passkeys|components\/(SecondStep|ProveForm)))|node_modules\/@simplewebauthn\//,
  },
  {
    name: 'factor-setup',
    test: /src\/features\/accounts\/components\/(Enrol|SetUpApp|SetUpPasskey|RecoveryCodes|RenameFactor|Factors|FactorDialog)|node_modules\/qrcode\.react\//,
  },
  // Says nothing without a line, so no device keeps it: the page itself is the own account's.
  {
    name: 'sessions',
    test: /src\/(app\/beside-user|features\/(accounts\/components\/ColleagueFactors|sessions\/(asking|components)|users\/(ending|components\/EndSessions))|locales\/\w+\/sessions\.json)/,
  },
  // The own account and the own company, and which provinces and cities there are.
  {
    name: 'own',
    test: /src\/(features\/(company\/|profile\/|sessions\/|accounts\/pages\/Security)|local\/single|ui\/Facts)/,
  },
  { name: 'entrance', test: /src\/(features\/entrance\/|domain\/(entrance|reserved))/ },
  { name: 'plain', test: /src\/(app\/Fallback|ui\/PlainPage|features\/trail\/)/ },
  // What only devices of people with the order flag keep (src/sw/parts.ts), their texts with it: what its pages share, then
  // the pages. Whatever begins with `orders-` is of that part, and no other chunk may import it.
  {
    name: 'orders-wizard',
    test: /src\/(features\/orders\/(pages\/NewContract|(choosing|drafting|field-words|form|market|ordering|quoting|why|wizard-words)\.ts|components\/(AppChanges|Confirm|Difference|DraftNote|Finish|Information|Module|Order(Fields|Made|Step)|PriceAside|Stage|Steps|UnpaidNote|Why|Wizard|use(Code|Draft|Latest|Market|OrderAgain|Ordering|Quote|Today|Unpaid)))|locales\/\w+\/(order-fields|wizard)\.json)/,
  },
  {
    name: 'orders-pay',
    test: /src\/(features\/orders\/(card-fields|pay|components\/Pay)|locales\/\w+\/payment\.json)/,
  },
  {
    name: 'orders-detail',
    test: /src\/(features\/orders\/(pages\/Contract\.|(comparing|contract-words|detail|kept|wishing)\.ts|components\/(Acts|Agreement|AlertDate|ChoiceFields|Consent|Costs|Dialogs|Editor|Extend|History|Notices|Terms|use(Changing|Typed|WhyNot)\.))|locales\/\w+\/contract\.json)/,
  },
  {
    name: 'orders-shared',
    test: /src\/(domain\/(fees\/|contracts|money|period|order-checks)|local\/answers|ui\/(Amount|order-icons)|features\/orders\/([\w-]+\.ts$|components\/(StatusTag|Priced|Sheet|ServiceInfo))|locales\/\w+\/orders\.json)/,
  },
  { name: 'orders-list', test: /src\/features\/orders\// },
  ...['en', 'zh'].flatMap((language) => [
    { name: `words-${language}`, test: texts(language, 'shell|ui|users') },
    { name: `home-${language}`, test: texts(language, 'home') },
    { name: `answers-${language}`, test: texts(language, 'problem|fields|accounts') },
    { name: `factor-words-${language}`, test: texts(language, 'factors') },
    { name: `others-${language}`, test: texts(language, '\\w+') },
  ]),
]

/** Of a language what every page and the list show, home, what comes back from an asking, and the rest. */
function texts(language: string, nouns: string): RegExp {
  return new RegExp(`src/locales/${language}/(${nouns})\\.json`)
}

/**
 * What the first list runs through: compiled as a whole beside the page's own thread while it is read in, not function
 * by function when it draws. Of the libraries much is never called and lies compiled in memory (0.2 MB, L7).
 */
const wholly = new Set(['first', 'libraries', 'frame', 'device', 'corridor', 'parts', 'shell', 'users'])

const isStaff = (module: string | null) => module !== null && staffsOnly.some((part) => module.includes(`/src/${part}`))

export default defineConfig(({ command }) => {
  const sources = buildId(root)
  const build = command === 'build' ? buildName(sources) : 'dev'
  return {
    base: '/saas/',
    define: { __BUILD__: JSON.stringify(build) },
    plugins: [
      react(),
      withoutProse(),
      withoutChecks(),
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
          buildPlugins: { vite: [withoutProse(), withoutChecks()] },
          globPatterns: ['**/*.{js,css,html,svg,png,woff2,webmanifest}'],
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
            'assets/{second-step,factor-setup,factor-words-*}-*',
            'assets/{mailed,sessions}-*',
          ],
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
          postBanner: ({ name }) => (wholly.has(name) ? '//# allFunctionsCalledOnLoad' : ''),
          // What only the order pages look like stands beside their code (src/features/orders/components/Sheet.tsx).
          assetFileNames: ({ originalFileNames: [from = ''] }) =>
            `assets/${from.includes('features/orders/') ? 'orders-' : ''}[name]-[hash][extname]`,
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
        '/dev/mail': server,
      },
    },
  }
})
