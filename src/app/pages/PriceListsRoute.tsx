import { PriceActivity } from '#app/pages/PriceActivity.tsx'
import { PriceListsPage } from '#features/prices/list/PriceListsPage.tsx'

export const PriceListsRoute = () => <PriceListsPage ActivityPart={PriceActivity} />
