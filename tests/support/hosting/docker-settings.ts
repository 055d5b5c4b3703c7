/** Reads the settings of `HOSTING=docker` from a test's environment. */
import { expect } from 'vitest'
import { readConfig, StartProblem } from '#server/config/config.ts'
import type { DockerSettings } from '#server/config/docker-config.ts'
import { readHostingSettings } from '#server/config/hosting-config.ts'

type Env = Record<string, string>

export const testImage = 'registry.example.com:5000/acme/erp:1.4.2'

export const readHosting = (env: Env) => {
  const allEnv = { DEMO: '0', HOSTING: 'docker', SERVICE_IMAGE: testImage, ...env }
  return readHostingSettings(allEnv, readConfig(allEnv))
}
export function readDocker(env: Env = {}): DockerSettings {
  const { docker } = readHosting(env)
  if (!docker) throw new Error('the settings of docker are missing')
  return docker
}

/** Returns the sentence with which a start refuses the settings. */
export function readRefusal(env: Env): string {
  try {
    readDocker(env)
  } catch (error) {
    expect(error).toBeInstanceOf(StartProblem)
    const { message } = error as Error
    // One sentence.
    expect(message).toMatch(/^[A-Z][^\n]*\.$/)
    return message
  }
  return 'accepted'
}
