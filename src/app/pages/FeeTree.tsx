import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { FeeBreakdown } from '#features/orders/quote/FeeBreakdown.tsx'
import type { ShowFee } from '#features/prices/rehearsal/annual-fee.ts'

export const FeeTree: ShowFee = (props) => (
  <>
    <OrderStyles />
    <FeeBreakdown {...props} />
  </>
)
