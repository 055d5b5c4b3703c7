import { lazy, Suspense } from 'react'
import { waitForFirstPage } from '#app/browser/idle.ts'
import { retryImport } from '#app/pwa/retry-import.ts'

const LazyBanners = lazy(async () => {
  await waitForFirstPage()
  const [{ UpdateBanner }, { SessionExpiredBanner }, { OptionalParts }, { LanguageSync }, { CompanyMemory }] =
    await retryImport(() =>
      Promise.all([
        import('#app/shell/UpdateBanner.tsx'),
        import('#app/shell/SessionExpiredBanner.tsx'),
        import('#app/shell/OptionalParts.tsx'),
        import('#app/shell/header/LanguageSync.tsx'),
        import('#app/shell/CompanyMemory.tsx'),
      ]),
    )
  const AllBanners = () => (
    <>
      <UpdateBanner />
      <SessionExpiredBanner />
      <OptionalParts />
      <LanguageSync />
      <CompanyMemory />
    </>
  )
  return { default: AllBanners }
})

export const Banners = () => (
  <Suspense fallback={null}>
    <LazyBanners />
  </Suspense>
)
