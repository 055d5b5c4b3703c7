/** This device, with what prepares it for work offline; without that code the page stands by itself. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Device } from '#features/device/pages/Device.tsx'

const Panel = lazy<ComponentType>(() =>
  import(/* chunk: common-prepare */ '#app/pages/PrepareParts.tsx').then(
    ({ OwnPreparePanel }) => ({ default: OwnPreparePanel }),
    () => ({ default: () => null }),
  ),
)

export const OwnDevice = () => (
  <Device
    panel={
      <Suspense fallback={null}>
        <Panel />
      </Suspense>
    }
  />
)
