import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, loadConfigFromFile } from 'vite'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** Builds an entry file into a folder as the product is built: with the same library replacements, and with the build name of dist/. */
export async function buildRig(folder: string, entry = join(import.meta.dirname, 'rig.ts')): Promise<void> {
  const viteConfig = await loadConfigFromFile(
    { command: 'build', mode: 'production' },
    join(root, 'vite.config.ts'),
    root,
  )
  const buildRecord = JSON.parse(await readFile(join(root, 'dist', 'build.json'), 'utf8')) as { build: string }
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    define: { __BUILD__: JSON.stringify(buildRecord.build), 'process.env.NODE_ENV': '"production"' },
    resolve: { alias: viteConfig?.config.resolve?.alias ?? {} },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      lib: { entry, formats: ['es'], fileName: () => 'rig.js' },
      rollupOptions: { output: { codeSplitting: false } },
    },
  })
}
