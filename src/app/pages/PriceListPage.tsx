/** A price list with the fee tree of the orders: a feature sees no other one. */
import { lazy, Suspense } from 'react'
import { PriceListPage } from '#features/prices/editor/PricePage.tsx'
import type { ShowFee } from '#features/prices/rehearsal/fee-of.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'

const WhyAmount = lazy(async () => ({ default: (await import('#app/pages/FeeTree.tsx')).FeeTree }))

const ShowFeeWhenHere: ShowFee = (props) => (
  <Suspense fallback={<Skeleton lines={3} />}>
    <WhyAmount {...props} />
  </Suspense>
)

export const OwnPriceList = () => <PriceListPage ShowFee={ShowFeeWhenHere} />
