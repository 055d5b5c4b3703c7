import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'

/** The tree of a fee with the look of the order pages. */
export const FeeTree: ShowFee = (props) => (
  <>
    <OrderStyles />
    <FeeBreakdown {...props} />
  </>
)
