/** Creates the demo data with a catalogue of the largest expected size: 1,000 modules, of which every fifth is hidden, and 5,000 apps. */
import { insertAppVersion } from '#server/db/catalogue/apps.ts'
import { insertModule } from '#server/db/catalogue/modules.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { loadWorld, withContext } from '#tests/support/server/companies.ts'

export const moduleCount = 1_000
export const appCount = 5_000

/** `dataDir` must be an empty folder. */
export async function loadCatalogue(dataDir: string): Promise<void> {
  await loadWorld(dataDir)
  const env = { DATA_DIR: dataDir, ARGON2_MEMORY_KB: '4096', ARGON2_TIME: '1' }
  await withContext(env, (app) =>
    runInTransaction(app, { role: 'portal_system' }, async (db) => {
      for (let n = 0; n < appCount; n++)
        await insertAppVersion(db, {
          provider: 'm18',
          module: getModuleCode(n),
          code: getAppCode(n),
          name: `App ${scramble(n)} for work of kind ${n % 17}`,
          version: `${1 + (n % 9)}.${n % 13}`,
          min_version_required: null,
          release_date: null,
          flags: JSON.stringify([{ key: 'active', name: 'Active', type: 'boolean', default: true }]),
          requires: JSON.stringify(n % 4 === 0 ? [] : [{ code: getAppCode((n * 7) % appCount), version: '1.0' }]),
          icon: null,
          markdown: null,
          sha256: null,
          create_time: Date.UTC(2026, 0, 1) + n * 60_000,
        })
      for (let n = 0; n < moduleCount; n++) {
        const isHidden = n % 5 === 0
        await insertModule(db, {
          code: getModuleCode(n),
          name: `Module ${scramble(n)}`,
          type: 'saas',
          hidden: isHidden,
          dependencies: JSON.stringify(isHidden || n % 10 === 1 ? [] : [getModuleCode(n - (n % 10) + 1)]),
          conditions: JSON.stringify(isHidden ? [getModuleCode(n + 1), getModuleCode(n + 2)] : []),
          any_condition: n % 10 === 0,
          apps: JSON.stringify(
            [0, 1, 2, 3, 4].map((k) => ({ code: getAppCode((n * 5 + k) % appCount), flag: { active: k % 2 === 0 } })),
          ),
          version: '1.0',
          create_time: Date.UTC(2026, 0, 1) + n * 60_000,
          update_time: Date.UTC(2026, 0, 1) + n * 60_000,
        })
      }
    }),
  )
}

export const getModuleCode = (n: number): string => `mod${String(n).padStart(4, '0')}`
const getAppCode = (n: number): string => `app${String(n).padStart(4, '0')}`
/** Returns a number below 100,000. Consecutive `n` give numbers without a pattern, so that sorting them is not easier than in real data. */
const scramble = (n: number): number => (Math.imul(n + 1, 2_654_435_761) >>> 0) % 100_000
