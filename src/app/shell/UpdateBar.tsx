import { lazy, Suspense } from 'react'
import { whenSettled } from '#app/idle.ts'
import { fetchLate } from '#app/late-code.ts'

/** What stands above a page now and then; no page waits for it. */
const Bars = lazy(async () => {
  await whenSettled()
  const [{ NewBuild }, { Lapsed }, { OwnParts }, { OwnLanguage }] = await fetchLate(() =>
    Promise.all([
      import('#app/shell/NewBuild.tsx'),
      import('#app/shell/Lapsed.tsx'),
      import('#app/shell/OwnParts.tsx'),
      import('#app/shell/OwnLanguage.tsx'),
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
