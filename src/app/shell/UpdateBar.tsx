import { lazy, Suspense } from 'react'
import { whenSettled } from '#app/idle.ts'

/** What stands above a page now and then; no page waits for it. */
const Bars = lazy(async () => {
  await whenSettled()
  const [{ NewBuild }, { Lapsed }] = await Promise.all([
    import('#app/shell/NewBuild.tsx'),
    import('#app/shell/Lapsed.tsx'),
  ])
  const both = () => (
    <>
      <NewBuild />
      <Lapsed />
    </>
  )
  return { default: both }
})

export const UpdateBar = () => (
  <Suspense fallback={null}>
    <Bars />
  </Suspense>
)
