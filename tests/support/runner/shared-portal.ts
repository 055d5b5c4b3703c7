/**
 * Global set-up of the browser tests: creates a data folder with the demo data, one server on a copy of it, and one browser, all shared by
 * the files. `browser-setup.ts` describes what a test may change there.
 */
import { cpSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromiumPath, startPortal, suiteFlags } from '#tests/support/browser/browser.ts'
import { loadCopies, loadWorld } from '#tests/support/server/companies.ts'

export interface SharedPortal {
  url: string
  /** WebSocket address of the browser. */
  browser: string
  /** Folder that records which companies are in use. */
  takenDir: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    shared: SharedPortal
  }
}

/** Settings of the server. Tokens are valid for longer than the run, so that two tests with the same stored session never renew it. */
const settings = { ACCESS_SECONDS: '3600' }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-shared-'))
  const [world, copiesDir, takenDir] = [join(folder, 'world'), join(folder, 'copies'), join(folder, 'taken')]
  await mkdir(takenDir)
  await loadWorld(world)
  cpSync(world, copiesDir, { recursive: true })
  await loadCopies(copiesDir)
  // A portal that a test file starts for itself gets only the demo data: its process inherits this variable.
  process.env.DEMO_DATA = world
  const [portal, server] = await Promise.all([
    startPortal(settings, copiesDir),
    chromium.launchServer({ executablePath: findChromiumPath(), args: suiteFlags }),
  ])
  project.provide('shared', { url: portal.url, browser: server.wsEndpoint(), takenDir })
  return async () => {
    await server.close()
    await portal.close()
    await rm(folder, { recursive: true, force: true })
  }
}
