import { lazy, Suspense } from 'react'
import { whenSettled } from '#app/browser/idle.ts'
import { fetchLate } from '#app/pwa/retry-import.ts'

/** What stands above a page now and then; no page waits for it. */
const Bars = lazy(async () => {
  await whenSettled()
  const [{ NewBuild }, { Lapsed }, { OwnParts }, { OwnLanguage }] = await fetchLate(() =>
    Promise.all([
      import('#app/shell/UpdateBanner.tsx'),
      import('#app/shell/SessionExpiredBanner.tsx'),
      import('#app/shell/OptionalParts.tsx'),
      import('#app/shell/header/LanguageSync.tsx'),
    ]),
  )
  const all = () => (
    <>
      <NewBuild />
      <Lapsed />
      <OwnParts />
      <OwnLanguage />
    </>
  )
  return { default: all }
})

export const UpdateBar = () => (
  <Suspense fallback={null}>
    <Bars />
  </Suspense>
)
