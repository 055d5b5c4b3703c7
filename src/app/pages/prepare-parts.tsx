import { preparer } from '#app/connection/preparation.ts'
import { PrepareOffer } from '#features/device/prepare/PrepareOffer.tsx'
import { PreparePanel } from '#features/device/prepare/PreparePanel.tsx'

export const DevicePreparePanel = () => <PreparePanel preparer={preparer} />
export const DevicePrepareOffer = () => <PrepareOffer preparer={preparer} />
