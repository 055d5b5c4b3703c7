import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { Device } from '#features/device/pages/Device.tsx'

const PreparePanel = createOptionalPart(
  async () => (await import(/* chunk: common-prepare */ '#app/pages/prepare-parts.tsx')).DevicePreparePanel,
)

export const DeviceRoute = () => <Device panel={<PreparePanel />} />
