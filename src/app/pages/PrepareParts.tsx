/** What prepares this device for work offline, with the run of this page: a feature knows no network. */
import { preparer } from '#app/connection/preparation.ts'
import { PrepareOffer } from '#features/device/prepare/PrepareOffer.tsx'
import { PreparePanel } from '#features/device/prepare/PreparePanel.tsx'

export const OwnPreparePanel = () => <PreparePanel preparer={preparer} />
export const OwnPrepareOffer = () => <PrepareOffer preparer={preparer} />
