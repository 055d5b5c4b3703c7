import { Sheet } from '#features/orders/OrderStyles.tsx'
import { WhyAmount } from '#features/orders/quote/FeeBreakdown.tsx'
import type { ShowFee } from '#features/prices/rehearsal/fee-of.ts'

/** The tree of a fee with the look of the order pages. */
export const FeeTree: ShowFee = (props) => (
  <>
    <Sheet />
    <WhyAmount {...props} />
  </>
)
