/** What prepares this device for work offline, with the run of this page: a feature knows no network. */
import { preparer } from '#app/connection/preparation.ts'
import { PrepareOffer } from '#features/device/prepare/PrepareOffer.tsx'
import { PreparePanel } from '#features/device/prepare/PreparePanel.tsx'

export const DevicePreparePanel = () => <PreparePanel preparer={preparer} />
export const DevicePrepareOffer = () => <PrepareOffer preparer={preparer} />
