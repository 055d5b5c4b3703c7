import type { EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { createPageUser, type PageUser } from '#tests/campaigns/browsers/page-user.ts'

/** A journey of a person through the portal. It throws if something is not as it should be. */
export type Journey = (user: PageUser, stage: EngineStage) => Promise<void>

/** Runs a journey in a new browser, with a connection through the stage's proxy or directly. After a failure a screenshot is stored. */
export async function runJourney(
  stage: EngineStage,
  journey: Journey,
  { isDirect, savePicture }: { isDirect: boolean; savePicture: (png: Buffer) => Promise<void> },
): Promise<void> {
  const browser = await stage.openWithKeys('journey')
  try {
    await browser.resize(1280, 800)
    await journey(createPageUser(browser, isDirect ? stage.portal.url : stage.proxy.url), stage)
  } catch (error) {
    await browser.screenshot().then(savePicture, () => undefined)
    throw error
  } finally {
    await browser.kill()
  }
}
