import { ServiceEvents } from '#app/pages/ServiceEvents.tsx'
import { Service } from '#features/services/info/ServicePage.tsx'

export const OwnService = () => <Service Events={ServiceEvents} />
