import { lazy, Suspense } from 'react'
import { PriceActivity } from '#app/pages/PriceActivity.tsx'
import { PriceListPage } from '#features/prices/editor/PriceListPage.tsx'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'

const LazyFeeTree = lazy(async () => ({ default: (await import('#app/pages/FeeTree.tsx')).FeeTree }))

const FeeTreeIfLoaded: ShowFee = (props) => (
  <Suspense fallback={<Skeleton lines={3} />}>
    <LazyFeeTree {...props} />
  </Suspense>
)

export const PriceListRoute = () => <PriceListPage ShowFee={FeeTreeIfLoaded} ActivityPart={PriceActivity} />
