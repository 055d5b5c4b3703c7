/** The parts of the Docker Engine API that the driver uses. Fields are as the engine writes them. */

interface EngineVersion {
  Index: number
}

type EngineLabels = Record<string, string>

/** What the tasks of a Swarm service are started from. */
export interface EngineTaskTemplate {
  ContainerSpec: {
    Image: string
    Labels?: EngineLabels
    [field: string]: unknown
  }
  Resources?: { Limits?: { MemoryBytes?: number; Pids?: number }; Reservations?: { MemoryBytes?: number } }
  ForceUpdate?: number
  [field: string]: unknown
}

export interface EngineServiceSpec {
  Name: string
  Labels: EngineLabels
  TaskTemplate: EngineTaskTemplate
  Mode: { Replicated?: { Replicas?: number } }
  [field: string]: unknown
}

export interface EngineService {
  ID: string
  Version: EngineVersion
  CreatedAt: string
  Spec: EngineServiceSpec
  PreviousSpec?: EngineServiceSpec
  UpdateStatus?: { State?: string; StartedAt?: string; CompletedAt?: string; Message?: string }
}

export interface EngineTask {
  ID: string
  CreatedAt: string
  Spec: EngineTaskTemplate
  ServiceID: string
  Slot?: number
  NodeID?: string
  DesiredState: string
  Status: {
    Timestamp: string
    State: string
    Message?: string
    Err?: string
    ContainerStatus?: { ContainerID?: string; ExitCode?: number }
    PortStatus?: { Ports?: { TargetPort?: number; PublishedPort?: number }[] }
  }
}

export interface EngineNode {
  ID: string
  Spec: { Availability: string }
  Description: { Resources?: { MemoryBytes?: number } }
  Status: { State: string; Addr?: string }
  ManagerStatus?: { Addr?: string }
}

/** A Swarm config, secret or network: all have labels and a name. */
export interface EngineConfig {
  ID: string
  Version: EngineVersion
  CreatedAt: string
  Spec: { Name: string; Labels?: EngineLabels; Data?: string }
}

export interface EngineNetwork {
  Id: string
  Name: string
  Created: string
  Labels?: EngineLabels | null
}

export interface EngineContainer {
  State?: { OOMKilled?: boolean; Health?: { FailingStreak?: number } }
}

/** Why a container ended. */
export interface EndedContainer {
  isOutOfMemory: boolean
  isUnhealthy: boolean
}
