import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { Device } from '#features/device/pages/Device.tsx'
import { PanelSpace } from '#features/device/prepare/PanelSpace.tsx'

const PreparePanel = createOptionalPart(
  async () => (await import(/* chunk: common-prepare */ '#app/pages/prepare-parts.tsx')).DevicePreparePanel,
  PanelSpace,
)

export const DeviceRoute = () => <Device panel={<PreparePanel />} />
