PRAGMA application_id = 0x54777274;
PRAGMA user_version = 2;
CREATE TABLE call (
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        key TEXT NOT NULL,
        place INTEGER NOT NULL,
        id TEXT NOT NULL,
        tool TEXT NOT NULL,
        arguments TEXT NOT NULL,
        model_arguments TEXT,
        revision INTEGER NOT NULL,
        after INTEGER NOT NULL,
        outcome TEXT,
        checksum INTEGER NOT NULL,
        UNIQUE (session, key)
    ) STRICT;
INSERT INTO "call" VALUES(2,'whole','k',1,'c','pay','{}',NULL,2,2,'1',8593479399670935699);
INSERT INTO "call" VALUES(3,'call','k',1,'c','pay','{}',NULL,1,3,NULL,5955749189714384725);
INSERT INTO "call" VALUES(4,'damaged','k',1,'c','pay','{}',NULL,1,4,NULL,-6853060955715718886);
CREATE TABLE checkpoint (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        parent INTEGER,
        written TEXT NOT NULL,
        next TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        body TEXT NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
INSERT INTO "checkpoint" VALUES(1,'whole',NULL,'start','model',1,'{}','{"a": 1}',4392387922860549651);
INSERT INTO "checkpoint" VALUES(2,'whole',1,'end','end',2,'{"title":"Øre"}','{"a": 1, "b": 2}',-6679581455813288795);
INSERT INTO "checkpoint" VALUES(3,'call',NULL,'end','end',2,'{"title":"Øre"}','{"a": 1, "b": 2}',-7676097280653294621);
INSERT INTO "checkpoint" VALUES(4,'damaged',NULL,'end','end',2,'{"title":"Øre"}','{"a": 1, "b": 2}',8343642928519297509);
CREATE TABLE session (
        id TEXT PRIMARY KEY NOT NULL,
        newest INTEGER NOT NULL,
        checkpoints INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
INSERT INTO "session" VALUES('whole',2,2,1,8861776758194994840);
INSERT INTO "session" VALUES('call',3,1,1,-6853801093799315356);
INSERT INTO "session" VALUES('damaged',4,1,1,6284180385707871961);
CREATE TABLE store (
        id INTEGER PRIMARY KEY,
        last INTEGER NOT NULL,
        sessions INTEGER NOT NULL,
        checksum INTEGER NOT NULL
    ) STRICT;
INSERT INTO "store" VALUES(1,4,3,-4898077344586284988);
CREATE INDEX checkpoint_of_session ON checkpoint (session, id);
