import { PrimeReactProvider } from 'primereact/api'
import type { ReactNode } from 'react'

/** PrimeReact adds its base styles at run time. The CSP allows them by the nonce of the build (H-01). */
const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''

export const Prime = ({ children }: { children: ReactNode }) => (
  <PrimeReactProvider value={{ nonce }}>{children}</PrimeReactProvider>
)
