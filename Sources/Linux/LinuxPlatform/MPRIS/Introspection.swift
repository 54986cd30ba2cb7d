/// Descriptions of D-Bus objects, in XML.
enum Introspection {
    /// The object with those interfaces of MPRIS that are in `names`.
    static func player(_ names: [MPRISInterface.Name], properties: (String) -> Bool) -> String {
        node(
            names.map { interface(MPRISInterface.named($0), properties) }.joined()
                + standardProperties + introspectable + peer)
    }

    /// An object that exists only as the parent of another.
    static func parent(of child: Substring) -> String {
        node(introspectable + peer + " <node name=\"\(child)\"/>\n")
    }

    private static func node(_ contents: String) -> String {
        """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN" \
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
        \(contents)</node>

        """
    }

    private static func interface(
        _ interface: MPRISInterface, _ isThere: (String) -> Bool
    ) -> String {
        var lines = " <interface name=\"\(interface.name.rawValue)\">\n"
        for method in interface.methods {
            lines += "  <method name=\"\(method.name)\">\n"
            lines += method.takes.map { argument($0, " direction=\"in\"") }.joined()
            lines += method.gives.map { argument($0, " direction=\"out\"") }.joined()
            lines += "  </method>\n"
        }
        for signal in interface.signals {
            lines += "  <signal name=\"\(signal.name)\">\n"
            lines += signal.carries.map { argument($0, "") }.joined() + "  </signal>\n"
        }
        for property in interface.properties where isThere(property.name) {
            let access = property.isWritable ? "readwrite" : "read"
            lines +=
                "  <property name=\"\(property.name)\" type=\"\(property.signature)\" "
                + "access=\"\(access)\">\n"
                + "   <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" "
                + "value=\"\(property.report.rawValue)\"/>\n  </property>\n"
        }
        return lines + " </interface>\n"
    }

    private static func argument(_ argument: MPRISInterface.Argument, _ direction: String) -> String
    {
        "   <arg name=\"\(argument.name)\" type=\"\(argument.signature)\"\(direction)/>\n"
    }

    private static let standardProperties = """
         <interface name="org.freedesktop.DBus.Properties">
          <method name="Get">
           <arg name="interface_name" type="s" direction="in"/>
           <arg name="property_name" type="s" direction="in"/>
           <arg name="value" type="v" direction="out"/>
          </method>
          <method name="Set">
           <arg name="interface_name" type="s" direction="in"/>
           <arg name="property_name" type="s" direction="in"/>
           <arg name="value" type="v" direction="in"/>
          </method>
          <method name="GetAll">
           <arg name="interface_name" type="s" direction="in"/>
           <arg name="properties" type="a{sv}" direction="out"/>
          </method>
          <signal name="PropertiesChanged">
           <arg name="interface_name" type="s"/>
           <arg name="changed_properties" type="a{sv}"/>
           <arg name="invalidated_properties" type="as"/>
          </signal>
         </interface>

        """

    private static let introspectable = """
         <interface name="org.freedesktop.DBus.Introspectable">
          <method name="Introspect">
           <arg name="xml_data" type="s" direction="out"/>
          </method>
         </interface>

        """

    private static let peer = """
         <interface name="org.freedesktop.DBus.Peer">
          <method name="Ping"/>
          <method name="GetMachineId">
           <arg name="machine_uuid" type="s" direction="out"/>
          </method>
         </interface>

        """
}
