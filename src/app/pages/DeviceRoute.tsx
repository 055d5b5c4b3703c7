/** This device, with what prepares it for work offline; without that code the page stands by itself. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Device } from '#features/device/pages/Device.tsx'

const LazyPanel = lazy<ComponentType>(() =>
  import(/* chunk: common-prepare */ '#app/pages/prepare-parts.tsx').then(
    ({ DevicePreparePanel }) => ({ default: DevicePreparePanel }),
    () => ({ default: () => null }),
  ),
)

export const DeviceRoute = () => (
  <Device
    panel={
      <Suspense fallback={null}>
        <LazyPanel />
      </Suspense>
    }
  />
)
