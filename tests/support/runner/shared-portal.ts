/**
 * vitest's global set-up of the browser tests: one data folder with the demo world, one server on a copy of it and one browser,
 * which all files share. What a file may do to them, `page-load.ts` says.
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
  /** Where the browser listens for whoever drives it. */
  browser: string
  /** Where it is noted which companies are taken. */
  takenDir: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    shared: SharedPortal
  }
}

/** A token outlives the run: nobody who is given a stored session renews it under another one's feet. */
const settings = { ACCESS_SECONDS: '3600' }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-shared-'))
  const [world, copiesDir, takenDir] = [join(folder, 'world'), join(folder, 'copies'), join(folder, 'taken')]
  await mkdir(takenDir)
  await loadWorld(world)
  cpSync(world, copiesDir, { recursive: true })
  await loadCopies(copiesDir)
  // Portals of a file's own begin with the demo world alone; workers are started with what stands here then.
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
